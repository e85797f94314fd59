//! How a page gets its data: a resource that is part of the first rendering, is asked again when its question changes or the person refreshes,
//! and whose last good answer stays on screen when a refresh fails.

use crate::{
    client::{Api, ApiError},
    components::{notice::Failed, time::Clock},
};
use leptos::prelude::*;
use opsdeck_api::List;
use serde::{
    Serialize,
    de::{DeserializeOwned, IgnoredAny},
};
use std::future::Future;

/// Asks everything on the page again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refresh {
    round: RwSignal<u32>,
    /// When the newest answer on the page was given.
    as_of: RwSignal<i64>,
    /// Why the page still shows an older answer.
    failure: RwSignal<Option<ApiError>>,
}

/// A question and its answer.
pub(crate) struct Asked<T: Send + Sync + 'static> {
    question: Memo<String>,
    answer: Resource<Result<T, ApiError>>,
    last_good: StoredValue<Option<(String, T)>>,
}

/// What can travel in an answer.
pub(crate) trait Answer: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {}
impl<T: Clone + Serialize + DeserializeOwned + Send + Sync + 'static> Answer for T {}

// === impl Refresh ===

impl Refresh {
    pub(crate) fn provide(rendered_at: i64) {
        provide_context(Self {
            round: RwSignal::new(0),
            as_of: RwSignal::new(rendered_at),
            failure: RwSignal::new(None),
        });
    }

    pub(crate) fn now(self) {
        self.failure.set(None);
        self.round.update(|round| *round += 1);
    }

    pub(crate) fn as_of(self) -> i64 {
        self.as_of.get()
    }

    pub(crate) fn has_failed(self) -> bool {
        self.failure.with(Option::is_some)
    }
}

// === impl Asked ===

impl<T: Send + Sync + 'static> Clone for Asked<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Asked<T> {}

/// Asks what stands at a path of the API.
pub(crate) fn ask<T: Answer>(path: impl Fn() -> String + Send + Sync + 'static) -> Asked<T> {
    ask_with(path, |api, path, _| async move { api.get(&path).await })
}

/// Asks only how many there are. The path should ask for a page of one.
pub(crate) fn ask_total(path: impl Fn() -> String + Send + Sync + 'static) -> Asked<u64> {
    ask_with(path, |api, path, _| async move {
        let list: List<IgnoredAny> = api.get(&path).await?;
        Ok(list.metadata.total_count)
    })
}

/// Asks in more than one step. `fetch` gets the question and the time at which it is asked, so that sliding ranges slide.
pub(crate) fn ask_with<T, Fut>(
    question: impl Fn() -> String + Send + Sync + 'static,
    fetch: impl Fn(Api, String, i64) -> Fut + Send + Sync + 'static,
) -> Asked<T>
where
    T: Answer,
    Fut: Future<Output = Result<T, ApiError>> + Send + 'static,
{
    let api = Api::current();
    let clock = Clock::current();
    let refresh = expect_context::<Refresh>();
    let question = Memo::new(move |_| question());
    let answer = Resource::new(
        move || (refresh.round.get(), question.get()),
        move |(_, question)| {
            let now = clock.at_once();
            let answer = fetch(api.clone(), question, now);
            async move {
                let answer = answer.await;
                // The server renders at one moment; in the browser each answer has its own.
                #[cfg(not(feature = "ssr"))]
                match &answer {
                    Ok(_) => refresh.as_of.set(now),
                    Err(error) => refresh.failure.set(Some(error.clone())),
                }
                answer
            }
        },
    );
    Asked {
        question,
        answer,
        last_good: StoredValue::new(None),
    }
}

impl<T: Answer> Asked<T> {
    /// The answer; after a refresh that failed, the last good one to the same question.
    pub(crate) async fn get(self) -> Result<T, ApiError> {
        let answer = self.answer.await;
        if cfg!(feature = "ssr") {
            return answer;
        }
        // An answer may come when its page has been left and nothing of it is there any more.
        let Some(question) = self.question.try_get_untracked() else {
            return answer;
        };
        match answer {
            Ok(value) => {
                self.last_good.try_set_value(Some((question, value.clone())));
                Ok(value)
            }
            Err(error) => match self.last_good.try_get_value().flatten() {
                Some((asked, value)) if asked == question => Ok(value),
                _ => Err(error),
            },
        }
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
                    Err(error) => view! { <Failed what=what error=error /> }.into_any(),
                }
            }
        })
    }

    /// Shows the answer where there is one, and says nothing where there is none.
    pub(crate) fn quietly(self, view: impl Fn(T) -> AnyView + Clone + Send + Sync + 'static) -> AnyView {
        view! {
            <Transition>
                {move || {
                    let view = view.clone();
                    Suspend::new(async move { self.get().await.ok().map(view) })
                }}
            </Transition>
        }
        .into_any()
    }
}

/// Shows what comes of several answers; what is on screen stays until the next is there.
pub(crate) fn shown<Fut>(view: impl Fn() -> Fut + Send + Sync + 'static) -> AnyView
where
    Fut: Future<Output = AnyView> + Send + 'static,
{
    view! {
        <Transition fallback=|| {
            view! {
                <p class="loading" aria-busy="true">
                    "Loading"
                </p>
            }
        }>{move || Suspend::new(view())}</Transition>
    }
    .into_any()
}
