//! How to get WebGPU, or a real graphics device, in the browser at hand.

use crate::language::t;

/// A browser, as far as the advice differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Browser {
    /// Chrome and Chromium.
    Chrome,
    /// Edge.
    Edge,
    /// Firefox.
    Firefox,
    /// Safari on a Mac.
    Safari,
    /// Any browser on an iPhone or iPad.
    Ios,
    /// Another one.
    Other,
}

/// What to do, for one browser on one system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// Where the steps are: in which browser, or on what.
    pub place: String,
    /// Steps, in order. Text between backquotes is to be typed or found as it stands.
    pub steps: Vec<String>,
}

/// Reads the browser from what it calls itself.
#[must_use]
pub fn browser(user_agent: &str) -> Browser {
    let has = |word: &str| user_agent.contains(word);
    if has("iPhone") || has("iPad") {
        Browser::Ios
    } else if has("Firefox/") {
        Browser::Firefox
    } else if has("Edg/") {
        Browser::Edge
    } else if has("Chrome/") || has("Chromium/") {
        Browser::Chrome
    } else if has("Safari/") {
        Browser::Safari
    } else {
        Browser::Other
    }
}

/// Returns what to do. `software` when there is WebGPU already, but computed in software.
#[must_use]
pub fn advice(user_agent: &str, software: bool) -> Advice {
    let linux = user_agent.contains("Linux") && !user_agent.contains("Android");
    match browser(user_agent) {
        Browser::Chrome => chromium("Chrome", "chrome:", linux, software),
        Browser::Edge => chromium("Edge", "edge:", linux, software),
        Browser::Firefox => Advice {
            place: t().advice_in("Firefox"),
            steps: vec![
                t().advice_firefox_update().into(),
                t().advice_firefox_config().into(),
                t().advice_firefox_support().into(),
                t().advice_restart().into(),
            ],
        },
        Browser::Safari => Advice {
            place: t().advice_in("Safari"),
            steps: vec![
                t().advice_safari_update().into(),
                t().advice_safari_flags().into(),
                t().advice_restart().into(),
            ],
        },
        Browser::Ios => Advice {
            place: t().advice_ios().into(),
            steps: vec![t().advice_ios_update().into(), t().advice_ios_flags().into()],
        },
        Browser::Other => Advice {
            place: t().advice_in(t().advice_other()),
            steps: vec![t().advice_other_browser().into(), t().advice_other_acceleration().into()],
        },
    }
}

/// `scheme` is how addresses of the browser's own pages begin.
fn chromium(name: &str, scheme: &str, linux: bool, software: bool) -> Advice {
    let mut steps = vec![t().advice_acceleration(&format!("{scheme}//settings/system"))];
    if linux || software {
        steps.push(t().advice_flag(&format!("{scheme}//flags/#enable-unsafe-webgpu")));
    }
    if linux {
        steps.push(t().advice_flag(&format!("{scheme}//flags/#enable-vulkan")));
        steps.push(t().advice_vulkan().into());
    }
    steps.push(t().advice_restart().into());
    steps.push(t().advice_check(&format!("{scheme}//gpu")));
    Advice { place: t().advice_in(name), steps }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHROME_LINUX: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
    const EDGE: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0";
    const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
    const SAFARI: &str = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15";
    const IPHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile Safari/604.1";

    #[test]
    fn browsers_are_told_apart() {
        assert_eq!(browser(CHROME_LINUX), Browser::Chrome);
        assert_eq!(browser(EDGE), Browser::Edge);
        assert_eq!(browser(FIREFOX), Browser::Firefox);
        assert_eq!(browser(SAFARI), Browser::Safari);
        assert_eq!(browser(IPHONE), Browser::Ios);
        assert_eq!(browser(""), Browser::Other);
    }

    #[test]
    fn linux_needs_vulkan_and_windows_does_not() {
        let has_vulkan = |agent| advice(agent, false).steps.iter().any(|step| step.contains("vulkan"));
        assert!(has_vulkan(CHROME_LINUX));
        assert!(!has_vulkan(EDGE));
        assert!(advice(EDGE, false).steps.iter().any(|step| step.contains("edge://")));
    }
}
