//! How well an object answers a search, and what of it to show.

/// Characters of a text that are shown, and how many of them before the word that was found.
const SHOWN: usize = 120;
const BEFORE: usize = 40;

/// Words that count: nobody types more, and each is looked for in everything that is known.
pub const MOST_WORDS: usize = 16;

/// What is searched for, in lower case.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Question {
    whole: String,
    words: Vec<String>,
}

/// How well an object answers; the best comes first.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Grade {
    /// It is called just that.
    Name,
    /// Its name begins so.
    Prefix,
    /// All words occur in what is known of it.
    Words,
}

/// The best answers so far, in the order in which they came where they are as good as each other.
#[derive(Debug)]
pub struct Best<T> {
    limit: usize,
    total: usize,
    by_grade: [Vec<T>; 3],
}

// === impl Question ===

impl Question {
    /// Nothing is asked by blanks.
    pub fn parse(text: &str) -> Option<Self> {
        let whole = text.trim().to_lowercase();
        let words: Vec<_> = whole.split_whitespace().take(MOST_WORDS).map(str::to_owned).collect();
        (!words.is_empty()).then_some(Self { whole, words })
    }

    /// `text`: what is known of the object in lower case, its name on the first line.
    pub fn grade(&self, text: &str) -> Option<Grade> {
        let name = text.split('\n').next().unwrap_or_default();
        if name == self.whole {
            Some(Grade::Name)
        } else if name.starts_with(&self.whole) {
            Some(Grade::Prefix)
        } else {
            let all = self.words.iter().all(|word| text.contains(word.as_str()));
            all.then_some(Grade::Words)
        }
    }

    /// The first of the texts that has one of the words, cut around it; else the first that says anything.
    pub fn snippet<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> String {
        let mut first = None;
        for text in texts {
            let text: Vec<char> = one_line(text).chars().collect();
            if text.is_empty() {
                continue;
            }
            if let Some(at) = self.words.iter().filter_map(|word| position(&text, word)).min() {
                return cut(&text, at);
            }
            first.get_or_insert(text);
        }
        cut(&first.unwrap_or_default(), 0)
    }
}

/// One line of bounded length.
pub fn headline(text: &str) -> String {
    cut(&one_line(text).chars().collect::<Vec<_>>(), 0)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The place of a lower-case word in a text of any case.
fn position(text: &[char], word: &str) -> Option<usize> {
    let lowered: Vec<(char, usize)> = (text.iter().enumerate())
        .flat_map(|(at, c)| c.to_lowercase().map(move |c| (c, at)))
        .collect();
    let word: Vec<char> = word.chars().collect();
    let mut places = lowered.windows(word.len());
    let found = places.position(|place| place.iter().map(|(c, _)| c).eq(&word))?;
    lowered.get(found).map(|(_, at)| *at)
}

fn cut(text: &[char], at: usize) -> String {
    let start = if text.len() <= SHOWN {
        0
    } else {
        at.saturating_sub(BEFORE).min(text.len() - SHOWN)
    };
    let end = text.len().min(start + SHOWN);
    let dots = |cut: bool| if cut { "…" } else { "" };
    let shown: String = text[start..end].iter().collect();
    format!("{}{}{}", dots(start > 0), shown.trim(), dots(end < text.len()))
}

// === impl Best ===

impl<T> Best<T> {
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            total: 0,
            by_grade: Default::default(),
        }
    }

    /// What cannot be among the best is counted and not made.
    pub fn add(&mut self, grade: Grade, found: impl FnOnce() -> T) {
        self.total += 1;
        let held: usize = self.by_grade[..=grade as usize].iter().map(Vec::len).sum();
        if held < self.limit {
            self.by_grade[grade as usize].push(found());
        }
    }

    /// How many there are, be they among the best or not.
    pub fn total(&self) -> usize {
        self.total
    }

    pub fn into_best(self) -> impl Iterator<Item = T> {
        self.by_grade.into_iter().flatten().take(self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grade(question: &str, text: &str) -> Option<Grade> {
        Question::parse(question).unwrap().grade(text)
    }

    #[test]
    fn the_name_counts_before_its_beginning_and_that_before_words() {
        let text = "checkout-oom\nshop\nout of memory\ndeployment/checkout\n";
        for (question, expected) in [
            ("checkout-oom", Some(Grade::Name)),
            ("  Checkout-OOM ", Some(Grade::Name)),
            ("check", Some(Grade::Prefix)),
            ("oom", Some(Grade::Words)),
            ("memory shop", Some(Grade::Words)),
            ("deployment/checkout", Some(Grade::Words)),
            ("memory cart", None),
        ] {
            assert_eq!(grade(question, text), expected, "{question}");
        }
        assert_eq!(Question::parse(" \t"), None);
    }

    #[test]
    fn the_best_come_first_and_the_others_are_counted() {
        let mut best = Best::new(3);
        for (grade, found) in [
            (Grade::Words, "w1"),
            (Grade::Prefix, "p1"),
            (Grade::Words, "w2"),
            (Grade::Words, "w3"),
            (Grade::Words, "w4"),
            (Grade::Name, "n1"),
        ] {
            best.add(grade, || found);
        }
        assert_eq!(best.total(), 6);
        assert_eq!(best.into_best().collect::<Vec<_>>(), ["n1", "p1", "w1"]);
    }

    #[test]
    fn a_snippet_shows_the_word_in_its_surroundings() {
        let question = Question::parse("heap").unwrap();
        assert_eq!(
            question.snippet(["Deployment/checkout", "The  Heap\nis full"]),
            "The Heap is full"
        );
        assert_eq!(
            question.snippet(["", "Deployment/checkout", "x"]),
            "Deployment/checkout"
        );
        assert_eq!(question.snippet([]), "");
        let long = format!("{}the heap is full{}", "before ".repeat(40), " after".repeat(40));
        let shown = question.snippet([&*long]);
        assert!(
            shown.starts_with('…') && shown.ends_with('…') && shown.contains("the heap is full"),
            "{shown}"
        );
        assert_eq!(headline(&"word ".repeat(60)).chars().count(), SHOWN);
    }

    proptest! {
        #[test]
        fn a_limit_cuts_off_the_end_of_the_ranking(grades in prop::collection::vec(0..3_usize, 0..30), limit in 0..12_usize) {
            let of = |limit| {
                let mut best = Best::new(limit);
                for (at, grade) in grades.iter().enumerate() {
                    best.add([Grade::Name, Grade::Prefix, Grade::Words][*grade], || (*grade, at));
                }
                (best.total(), best.into_best().collect::<Vec<_>>())
            };
            let (total, all) = of(grades.len());
            prop_assert!(total == grades.len() && all.len() == total && all.is_sorted());
            prop_assert_eq!(of(limit), (total, all[..limit.min(total)].to_vec()));
        }

        #[test]
        fn a_snippet_of_any_text_is_short_and_holds_the_word(before in "\\PC{0,200}", after in "\\PC{0,200}", word in "[a-z]{1,8}") {
            let text = format!("{before} {word} {after}");
            let shown = Question::parse(&word).unwrap().snippet([&*text]);
            prop_assert!(shown.chars().count() <= SHOWN + 2, "{}", shown);
            prop_assert!(shown.to_lowercase().contains(&word), "{}", shown);
        }
    }
}
