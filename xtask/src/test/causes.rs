//! Why tests failed, from what the runners print: a log of thousands of lines hides it, and some keep only its end.

use super::tally::Runner;

/// How many lines are kept of each failure.
const LINES: usize = 30;

/// What a runner says of each test that failed: at most [`LINES`] lines of each, without the empty ones.
///
/// Libtest begins with `---- queue::ends stdout ----`, Playwright with `  1) [webgpu] › chat.spec.ts:9:1 › answers`.
pub fn causes(log: &str, runner: Runner) -> Vec<String> {
    let mut causes: Vec<Vec<&str>> = Vec::new();
    let mut is_inside = false;
    for line in log.lines().filter(|line| !line.trim().is_empty()) {
        if begins(line, runner) {
            is_inside = true;
            causes.push(Vec::new());
        } else if ends(line, runner) {
            is_inside = false;
        }
        if let Some(cause) = causes.last_mut().filter(|it| is_inside && it.len() < LINES) {
            cause.push(line.trim_end());
        }
    }
    causes.into_iter().map(|lines| lines.join("\n")).collect()
}

fn begins(line: &str, runner: Runner) -> bool {
    match runner {
        Runner::Libtest => line.starts_with("---- ") && line.ends_with(" ----"),
        Runner::Playwright => {
            let number = line.strip_prefix("  ").and_then(|rest| rest.split_once(") ["));
            number.is_some_and(|(number, _)| number.parse::<usize>().is_ok())
        }
    }
}

/// The counts of all tests, or their names, which follow the last failure.
fn ends(line: &str, runner: Runner) -> bool {
    match runner {
        Runner::Libtest => line == "failures:",
        Runner::Playwright => {
            let count = line.strip_prefix("  ").and_then(|rest| rest.split_once(' '));
            count.is_some_and(|(count, _)| count.parse::<usize>().is_ok())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libtest_says_why() {
        let log = "test a ... FAILED\n\nfailures:\n\n---- a stdout ----\n\nthread 'a' panicked at x.rs:1:2:\nno\n\n\
                   ---- b::c stdout ----\nnever\n\nfailures:\n    a\n    b::c\n";
        let expected =
            ["---- a stdout ----\nthread 'a' panicked at x.rs:1:2:\nno", "---- b::c stdout ----\nnever"];
        assert_eq!(causes(log, Runner::Libtest), expected);
    }

    #[test]
    fn playwright_says_why() {
        let log = "  ✘  3 [a] › b.spec.ts:9:1 › c (2.0m)\n\n  1) [a] › b.spec.ts:9:1 › c ──\n\n    Error: no\n\n    > 9 | it\n\
                   \n  2) [a] › d ──\n    Error: never\n\n  2 failed\n    [a] › b.spec.ts:9:1 › c ──\n  1 passed (4.0s)\n";
        let expected = [
            "  1) [a] › b.spec.ts:9:1 › c ──\n    Error: no\n    > 9 | it",
            "  2) [a] › d ──\n    Error: never",
        ];
        assert_eq!(causes(log, Runner::Playwright), expected);
    }

    #[test]
    fn a_long_cause_is_cut() {
        let log = format!("---- a stdout ----\n{}", "line\n".repeat(100));
        assert_eq!(causes(&log, Runner::Libtest)[0].lines().count(), LINES);
    }
}
