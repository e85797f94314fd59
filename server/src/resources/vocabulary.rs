//! The closed lists of words that the schemas enforce. Reading stays open: a word of a newer release is kept as `Other`.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{borrow::Cow, fmt};

/// Declares an enum of known words that keeps unknown ones, and whose schema lists the known ones only.
macro_rules! vocabulary {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum $name {
            $($variant,)+
            /// A word that this release does not know, or none at all.
            Other(Box<str>),
        }

        impl $name {
            /// The words that the schema allows, in their order of rank or progress.
            pub const KNOWN: &'static [&'static str] = &[$($word),+];

            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)+
                    Self::Other(word) => word,
                }
            }

            pub fn is_known(&self) -> bool {
                !matches!(self, Self::Other(_))
            }
        }

        /// No word at all, as in an object that was never given one.
        impl Default for $name {
            fn default() -> Self {
                Self::Other(Box::default())
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)+
                    other => Self::Other(other.into()),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Word;

                impl serde::de::Visitor<'_> for Word {
                    type Value = $name;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("a string")
                    }

                    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<$name, E> {
                        Ok(word.into())
                    }
                }

                deserializer.deserialize_str(Word)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "enum": Self::KNOWN })
            }
        }
    };
}

vocabulary! {
    /// How bad an incident is, worst first.
    Severity { Critical = "critical", High = "high", Medium = "medium", Low = "low" }
}

vocabulary! {
    /// Where a signal came from.
    SignalSource {
        Prometheus = "prometheus",
        Events = "events",
        Logs = "logs",
        Webhook = "webhook",
        Watcher = "watcher",
    }
}

vocabulary! {
    /// The symptom that a signal stands for.
    Signal {
        PodRestart = "pod_restart",
        PodNotReady = "pod_not_ready",
        OomKill = "oom_kill",
        CrashloopBackoff = "crashloop_backoff",
        ImagePullError = "image_pull_error",
        DeployFailing = "deploy_failing",
        HpaMaxed = "hpa_maxed",
        JobFailed = "job_failed",
        CronjobMissed = "cronjob_missed",
        PvcPending = "pvc_pending",
        ErrorRate = "error_rate",
        Latency = "latency",
        CpuHigh = "cpu_high",
        MemoryHigh = "memory_high",
        NodeNotReady = "node_not_ready",
        DiskPressure = "disk_pressure",
        PidPressure = "pid_pressure",
        NetworkUnavailable = "network_unavailable",
        PodCapacityHigh = "pod_capacity_high",
        IngressError = "ingress_error",
        CertificateExpiring = "certificate_expiring",
        HelmReleaseFailed = "helm_release_failed",
        ArgocdDegraded = "argocd_degraded",
        ConfigDrift = "config_drift",
    }
}

vocabulary! {
    /// Where an incident stands; no word counts as Detected.
    IssueState {
        Detected = "Detected",
        Analyzing = "Analyzing",
        Remediating = "Remediating",
        Contained = "Contained",
        Resolved = "Resolved",
        Escalated = "Escalated",
        Failed = "Failed",
    }
}

vocabulary! {
    /// Where an attempt to fix stands.
    PlanState {
        Pending = "Pending",
        WaitingApproval = "WaitingApproval",
        Executing = "Executing",
        Verifying = "Verifying",
        Completed = "Completed",
        Failed = "Failed",
        RolledBack = "RolledBack",
    }
}

vocabulary! {
    /// Where a request for approval stands; no word counts as Pending.
    ApprovalState { Pending = "Pending", Approved = "Approved", Rejected = "Rejected", Expired = "Expired" }
}

vocabulary! {
    /// Who decides.
    ApprovalMode { Auto = "auto", Manual = "manual", Quorum = "quorum" }
}

vocabulary! {
    /// What a vote says.
    Verdict { Approved = "approved", Rejected = "rejected" }
}

vocabulary! {
    /// Where a post-mortem stands.
    PostMortemState { Open = "Open", InReview = "InReview", Closed = "Closed" }
}

vocabulary! {
    /// Where an experiment stands.
    ChaosState {
        Pending = "Pending",
        Running = "Running",
        Completed = "Completed",
        Failed = "Failed",
        Aborted = "Aborted",
    }
}

vocabulary! {
    /// The truth of a condition.
    ConditionStatus { True = "True", False = "False", Unknown = "Unknown" }
}

vocabulary! {
    /// What a remediation can do.
    ActionType {
        ScaleDeployment = "ScaleDeployment",
        RollbackDeployment = "RollbackDeployment",
        RestartDeployment = "RestartDeployment",
        PatchConfig = "PatchConfig",
        AdjustResources = "AdjustResources",
        DeletePod = "DeletePod",
        HelmRollback = "HelmRollback",
        ArgoSyncApp = "ArgoSyncApp",
        AdjustHpa = "AdjustHPA",
        RestartStatefulSetPod = "RestartStatefulSetPod",
        CordonNode = "CordonNode",
        UncordonNode = "UncordonNode",
        DrainNode = "DrainNode",
        ResizePvc = "ResizePVC",
        RotateSecret = "RotateSecret",
        ExecDiagnostic = "ExecDiagnostic",
        UpdateIngress = "UpdateIngress",
        PatchNetworkPolicy = "PatchNetworkPolicy",
        ApplyManifest = "ApplyManifest",
        ScaleStatefulSet = "ScaleStatefulSet",
        RestartStatefulSet = "RestartStatefulSet",
        RollbackStatefulSet = "RollbackStatefulSet",
        AdjustStatefulSetResources = "AdjustStatefulSetResources",
        DeleteStatefulSetPod = "DeleteStatefulSetPod",
        ForceDeleteStatefulSetPod = "ForceDeleteStatefulSetPod",
        UpdateStatefulSetStrategy = "UpdateStatefulSetStrategy",
        RecreateStatefulSetPvc = "RecreateStatefulSetPVC",
        PartitionStatefulSetUpdate = "PartitionStatefulSetUpdate",
        RestartDaemonSet = "RestartDaemonSet",
        RollbackDaemonSet = "RollbackDaemonSet",
        AdjustDaemonSetResources = "AdjustDaemonSetResources",
        DeleteDaemonSetPod = "DeleteDaemonSetPod",
        UpdateDaemonSetStrategy = "UpdateDaemonSetStrategy",
        PauseDaemonSetRollout = "PauseDaemonSetRollout",
        CordonAndDeleteDaemonSetPod = "CordonAndDeleteDaemonSetPod",
        RetryJob = "RetryJob",
        AdjustJobResources = "AdjustJobResources",
        DeleteFailedJob = "DeleteFailedJob",
        SuspendJob = "SuspendJob",
        ResumeJob = "ResumeJob",
        AdjustJobParallelism = "AdjustJobParallelism",
        AdjustJobDeadline = "AdjustJobDeadline",
        AdjustJobBackoffLimit = "AdjustJobBackoffLimit",
        ForceDeleteJobPods = "ForceDeleteJobPods",
        SuspendCronJob = "SuspendCronJob",
        ResumeCronJob = "ResumeCronJob",
        TriggerCronJob = "TriggerCronJob",
        AdjustCronJobResources = "AdjustCronJobResources",
        AdjustCronJobSchedule = "AdjustCronJobSchedule",
        AdjustCronJobDeadline = "AdjustCronJobDeadline",
        AdjustCronJobHistory = "AdjustCronJobHistory",
        AdjustCronJobConcurrency = "AdjustCronJobConcurrency",
        DeleteCronJobActiveJobs = "DeleteCronJobActiveJobs",
        ReplaceCronJobTemplate = "ReplaceCronJobTemplate",
        Custom = "Custom",
    }
}

vocabulary! {
    /// What an objective measures.
    IndicatorType {
        Availability = "availability",
        Latency = "latency",
        ErrorRate = "error_rate",
        Throughput = "throughput",
    }
}

vocabulary! {
    /// Where its figures come from.
    MetricSource { Prometheus = "prometheus", Watcher = "watcher", Issues = "issues" }
}

vocabulary! {
    /// What a cluster is for.
    Environment { Prod = "prod", Staging = "staging", Dev = "dev" }
}

vocabulary! {
    /// How careful to be with it.
    Tier { Critical = "critical", Standard = "standard", NonCritical = "non-critical" }
}

vocabulary! {
    /// By which service a message goes out.
    ChannelType {
        Slack = "slack",
        Pagerduty = "pagerduty",
        Opsgenie = "opsgenie",
        Email = "email",
        Webhook = "webhook",
        Teams = "teams",
    }
}

vocabulary! {
    /// Whom a level tells.
    TargetType { Channel = "channel", User = "user", Team = "team", Oncall = "oncall" }
}

vocabulary! {
    /// The fault. The two of the network are refused as unsupported.
    ExperimentType {
        PodKill = "pod_kill",
        PodFailure = "pod_failure",
        CpuStress = "cpu_stress",
        MemoryStress = "memory_stress",
        NetworkDelay = "network_delay",
        NetworkLoss = "network_loss",
        DiskStress = "disk_stress",
    }
}

vocabulary! {
    /// How to log in.
    AuthType { None = "none", Ssh = "ssh", Token = "token", Basic = "basic" }
}

vocabulary! {
    /// How the host's key is checked.
    HostKeyPolicy { Strict = "strict", AcceptNew = "acceptNew" }
}

vocabulary! {
    /// What can be watched.
    WatchedKind {
        Deployment = "Deployment",
        StatefulSet = "StatefulSet",
        DaemonSet = "DaemonSet",
        Job = "Job",
        CronJob = "CronJob",
    }
}

vocabulary! {
    /// Vendors that can stand in.
    FallbackProviderName {
        OpenAi = "OPENAI",
        OpenAiAssistant = "OPENAI_ASSISTANT",
        ClaudeAi = "CLAUDEAI",
        Bedrock = "BEDROCK",
        GoogleAi = "GOOGLEAI",
        Xai = "XAI",
        Zai = "ZAI",
        Minimax = "MINIMAX",
        Moonshot = "MOONSHOT",
        StackSpot = "STACKSPOT",
        Ollama = "OLLAMA",
        Copilot = "COPILOT",
        OpenRouter = "OPENROUTER",
        Devin = "DEVIN",
    }
}

vocabulary! {
    /// How a tool server is reached.
    Transport { Stdio = "stdio", Sse = "sse" }
}

vocabulary! {
    /// Role of a caller whom only a certificate identifies.
    MtlsRole { Viewer = "viewer", Readonly = "readonly", User = "user", Operator = "operator", Admin = "admin" }
}

vocabulary! {
    /// How the long-term memory is used.
    MemoryMode { Index = "index", Pull = "pull", Off = "off" }
}
