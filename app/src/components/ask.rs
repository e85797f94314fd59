//! How a page gets its data: a resource that is part of the first rendering, is asked again when its question changes or the person refreshes,
//! and whose last good answer stays on screen when a refresh fails.
//!
//! Answers travel as the text that the API sent and are read where they are shown: one kind of resource serves all, which keeps the bundle small.

#[cfg(not(feature = "ssr"))]
use crate::live::Change;
use crate::{
    client::{Api, ApiError, FromJson, read, tree},
    components::{notice::Failed, time::Clock},
    live::{Live, Subjects},
    view,
};
use leptos::{prelude::*, server::codee::string::FromToStringCodec};
use opsdeck_api::List;
use serde::de::IgnoredAny;
use serde_json::json;
use std::{fmt, future::Future, pin::Pin, str::FromStr, sync::Arc};

/// Asks everything on the page again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refresh {
    round: RwSignal<u32>,
    /// When the newest answer on the page was given.
    as_of: RwSignal<i64>,
    /// Questions whose newest answer did not come, so that an older one is shown.
    failures: RwSignal<u32>,
}

/// The texts that answer a question, in the order in which they were asked for.
pub(crate) type Texts = Vec<String>;

/// A gather under way.
pub(crate) type Fetch = Pin<Box<dyn Future<Output = Result<Texts, ApiError>> + Send>>;

/// What a gather brought.
#[derive(Clone)]
struct Answer(Result<Texts, ApiError>);

/// A question and its answer.
pub(crate) struct Asked<T> {
    question: Memo<String>,
    answer: Resource<Answer, FromToStringCodec>,
    last_good: StoredValue<Option<(String, Texts)>>,
    read: fn(&[String]) -> Result<T, ApiError>,
}

// === impl Answer ===

/// Begins every text of an answer that travels in the page, as in a JSON text sequence (RFC 7464): it is in no JSON text. An error has none.
const SEPARATOR: char = '\u{1e}';

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Ok(texts) => texts.iter().try_for_each(|text| write!(f, "{SEPARATOR}{text}")),
            Err(error) => json!(error).fmt(f),
        }
    }
}

#[cfg(not(feature = "ssr"))]
impl Answer {
    /// With a row as it is now; nothing if none of the lists has it.
    fn patched(&self, change: &Change) -> Option<Self> {
        let texts = self.0.as_ref().ok()?;
        let patches: Vec<_> = texts.iter().map(|text| change.patched(text)).collect();
        let found = patches.iter().any(Option::is_some);
        found.then(|| {
            let texts = patches.into_iter().zip(texts);
            Self(Ok(texts
                .map(|(patch, text)| patch.unwrap_or_else(|| text.clone()))
                .collect()))
        })
    }
}

impl FromStr for Answer {
    type Err = ApiError;

    fn from_str(answer: &str) -> Result<Self, Self::Err> {
        let mut texts = answer.split(SEPARATOR);
        Ok(Self(match texts.next() {
            None | Some("") => Ok(texts.map(str::to_owned).collect()),
            Some(error) => Err(ApiError::from_json(&mut tree(error)?)),
        }))
    }
}

// === impl Refresh ===

impl Refresh {
    pub(crate) fn provide(rendered_at: i64) {
        provide_context(Self {
            round: RwSignal::new(0),
            as_of: RwSignal::new(rendered_at),
            failures: RwSignal::new(0),
        });
    }

    pub(crate) fn now(self) {
        self.round.update(|round| *round += 1);
    }

    pub(crate) fn as_of(self) -> i64 {
        self.as_of.get()
    }

    /// Without becoming dependent on it.
    #[cfg(not(feature = "ssr"))]
    pub(crate) fn is_failing(self) -> bool {
        self.failures.get_untracked() > 0
    }

    pub(crate) fn has_failed(self) -> bool {
        self.failures.get() > 0
    }
}

// === impl Asked ===

impl<T> Clone for Asked<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Asked<T> {}

/// Asks what stands at a path of the API.
pub(crate) fn ask<T: FromJson>(path: impl Fn() -> String + Send + Sync + 'static) -> Asked<T> {
    ask_with(
        path,
        |api, path, _| Box::pin(async move { Ok(vec![api.text(&path).await?]) }),
        |texts| read(texts.first().map_or("", String::as_str)),
    )
}

/// Asks only how many there are. The path should ask for a page of one.
pub(crate) fn ask_total(path: impl Fn() -> String + Send + Sync + 'static) -> Asked<u64> {
    ask_with(
        path,
        |api, path, _| Box::pin(async move { total(&api, &path).await }),
        read_total,
    )
}

/// The total of a list, as the only text of an answer.
pub(crate) async fn total(api: &Api, path: &str) -> Result<Texts, ApiError> {
    let list: List<IgnoredAny> = api.get(path).await?;
    Ok(vec![list.metadata.total_count.to_string()])
}

pub(crate) fn read_total(texts: &[String]) -> Result<u64, ApiError> {
    let total = texts.first().and_then(|text| text.parse().ok());
    total.ok_or_else(ApiError::unreadable)
}

/// Asks in more than one step. `gather` gets the question and the time at which it is asked, so that sliding ranges slide.
pub(crate) fn ask_with<T>(
    question: impl Fn() -> String + Send + Sync + 'static,
    gather: impl Fn(Api, String, i64) -> Fetch + Send + Sync + 'static,
    read: fn(&[String]) -> Result<T, ApiError>,
) -> Asked<T> {
    let question = Memo::new(move |_| question());
    Asked {
        question,
        answer: resource(question, Arc::new(gather)),
        last_good: StoredValue::new(None),
        read,
    }
}

fn resource(
    question: Memo<String>,
    gather: Arc<dyn Fn(Api, String, i64) -> Fetch + Send + Sync>,
) -> Resource<Answer, FromToStringCodec> {
    let api = Api::current();
    let clock = Clock::current();
    let refresh = expect_context::<Refresh>();
    let live = expect_context::<Live>();
    let subjects = Arc::new(Subjects::default());
    #[cfg(not(feature = "ssr"))]
    let failure = Failure::none(refresh);
    let answer = Resource::new_str(
        {
            let subjects = subjects.clone();
            move || (refresh.round.get(), live.round(&subjects), question.get())
        },
        move |(_, _, question)| {
            let now = clock.at_once();
            #[cfg(not(feature = "ssr"))]
            subjects.forget();
            let answer = gather(api.noting(&subjects), question, now);
            #[cfg(not(feature = "ssr"))]
            let (failure, subjects) = (failure.clone(), subjects.clone());
            async move {
                let answer = answer.await;
                // The server renders at one moment; in the browser each answer has its own.
                #[cfg(not(feature = "ssr"))]
                {
                    keep_focus();
                    let failed = answer.as_ref().is_err_and(ApiError::may_pass);
                    failure.is_now(failed);
                    if failed {
                        set_timeout(move || live.again(&subjects), AGAIN);
                    } else {
                        refresh.as_of.set(now);
                    }
                }
                Answer(answer)
            }
        },
    );
    #[cfg(not(feature = "ssr"))]
    live.on_change(move |change| {
        let before = answer.try_read_untracked();
        let patched = before.and_then(|answer| answer.as_ref()?.patched(change));
        if let Some(patched) = patched {
            keep_focus();
            answer.set(Some(patched));
        }
    });
    answer
}

/// After an answer that did not come. No `Retry-After` of ours is longer.
#[cfg(not(feature = "ssr"))]
const AGAIN: std::time::Duration = std::time::Duration::from_secs(10);

/// Whether the newest answer to one question did not come.
#[cfg(not(feature = "ssr"))]
#[derive(Clone)]
struct Failure {
    refresh: Refresh,
    now: Arc<std::sync::atomic::AtomicBool>,
}

#[cfg(not(feature = "ssr"))]
impl Failure {
    /// As long as the question stands.
    fn none(refresh: Refresh) -> Self {
        let failure = Self {
            refresh,
            now: Arc::default(),
        };
        let at_the_end = failure.clone();
        on_cleanup(move || at_the_end.is_now(false));
        failure
    }

    fn is_now(&self, failed: bool) {
        let before = self.now.swap(failed, std::sync::atomic::Ordering::Relaxed);
        if before != failed {
            let count = |failures: &mut u32| {
                *failures = if failed {
                    *failures + 1
                } else {
                    failures.saturating_sub(1)
                }
            };
            self.refresh.failures.try_update(count);
        }
    }
}

/// Rows take each other's elements when a list changes. A link that had the focus keeps it where it then stands, so that Enter
/// opens what it would have opened.
#[cfg(not(feature = "ssr"))]
fn keep_focus() {
    use wasm_bindgen::JsCast as _;
    use web_sys::HtmlElement;

    let Some(focused) = document().active_element() else {
        return;
    };
    let Some(href) = focused.get_attribute("href") else {
        return;
    };
    request_animation_frame(move || {
        if focused.is_connected() && focused.get_attribute("href").as_ref() == Some(&href) {
            return;
        }
        // Our addresses have no quotes: they are percent-encoded.
        let again = document()
            .query_selector(&format!("main a[href=\"{href}\"]"))
            .ok()
            .flatten();
        let target = again.or_else(|| document().get_element_by_id("main"));
        if let Some(target) = target.and_then(|target| target.dyn_into::<HtmlElement>().ok()) {
            // An element that was just found can be focused.
            let _ = target.focus();
        }
    });
}

impl<T: 'static> Asked<T> {
    /// The answer; after a refresh that failed, the last good one to the same question.
    pub(crate) async fn get(self) -> Result<T, ApiError> {
        let texts = last_good_or(self.answer.await.0, self.question, self.last_good)?;
        (self.read)(&texts)
    }

    /// Shows the answer. `what` names it where it is missing: `the incidents`.
    pub(crate) fn show(
        self,
        what: &'static str,
        view: impl Fn(T) -> AnyView + Clone + Send + Sync + 'static,
    ) -> AnyView {
        shown(move || {
            let view = view.clone();
            async move {
                match self.get().await {
                    Ok(value) => view(value),
                    Err(error) => view! { <Failed what=what error=error /> },
                }
            }
        })
    }

    /// Shows the answer where there is one, and says nothing where there is none.
    pub(crate) fn quietly(self, view: impl Fn(T) -> AnyView + Clone + Send + Sync + 'static) -> AnyView {
        shown_over(
            || ().into_any(),
            move || {
                let view = view.clone();
                async move { self.get().await.map_or_else(|_| ().into_any(), view) }
            },
        )
    }
}

fn last_good_or(
    answer: Result<Texts, ApiError>,
    question: Memo<String>,
    last_good: StoredValue<Option<(String, Texts)>>,
) -> Result<Texts, ApiError> {
    if cfg!(feature = "ssr") {
        return answer;
    }
    // An answer may come when its page has been left and nothing of it is there any more.
    let Some(question) = question.try_get_untracked() else {
        return answer;
    };
    match answer {
        Ok(texts) => {
            last_good.try_set_value(Some((question, texts.clone())));
            Ok(texts)
        }
        // What is gone, or not for this person any more, is not shown as if it were there.
        Err(error) if !error.may_pass() => Err(error),
        Err(error) => match last_good.try_get_value().flatten() {
            Some((asked, texts)) if asked == question => Ok(texts),
            _ => Err(error),
        },
    }
}

/// Shows what comes of several answers; what is on screen stays until the next is there.
pub(crate) fn shown<Fut>(view: impl Fn() -> Fut + Send + Sync + 'static) -> AnyView
where
    Fut: Future<Output = AnyView> + Send + 'static,
{
    let loading = || {
        view! {
            <p class="loading" aria-busy="true">
                "Loading"
            </p>
        }
    };
    shown_over(loading, view)
}

/// As `shown`, with something else in its place until the first answer.
pub(crate) fn shown_over<Fut>(first: fn() -> AnyView, view: impl Fn() -> Fut + Send + Sync + 'static) -> AnyView
where
    Fut: Future<Output = AnyView> + Send + 'static,
{
    transition(first, Arc::new(move || Box::pin(view())))
}

type Shown = Pin<Box<dyn Future<Output = AnyView> + Send>>;

fn transition(first: fn() -> AnyView, view: Arc<dyn Fn() -> Shown + Send + Sync>) -> AnyView {
    view! { <Transition fallback=first>{move || Suspend::new(view())}</Transition> }
}

#[cfg(test)]
mod tests {
    use super::Answer;
    use crate::client::ApiError;

    fn travelled(answer: Result<Vec<String>, ApiError>) -> Result<Vec<String>, ApiError> {
        Answer(answer).to_string().parse::<Answer>().and_then(|answer| answer.0)
    }

    #[test]
    fn an_answer_arrives_as_it_was_sent() {
        for texts in [vec![], vec![""], vec!["{}"], vec![r#"{"a":"\u001e"}"#, "", "7"]] {
            let texts: Vec<_> = texts.into_iter().map(str::to_owned).collect();
            assert_eq!(travelled(Ok(texts.clone())), Ok(texts));
        }
    }

    #[test]
    fn an_error_arrives_as_it_was_sent() {
        let error = ApiError {
            status: 409,
            message: "two of that name".into(),
            reason: Some("ambiguous".into()),
            ..ApiError::default()
        };
        assert_eq!(travelled(Err(error.clone())), Err(error));
    }
}
