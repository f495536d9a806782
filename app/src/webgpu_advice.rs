//! How to get WebGPU, or a real graphics device, in the browser at hand.

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
    /// What the browser is called.
    pub browser: &'static str,
    /// Steps, in order. Text between backquotes is to be typed or found as it stands.
    pub steps: Vec<&'static str>,
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

/// What to do. `software` when there is WebGPU already, but computed in software.
#[must_use]
pub fn advice(user_agent: &str, software: bool) -> Advice {
    let linux = user_agent.contains("Linux") && !user_agent.contains("Android");
    match browser(user_agent) {
        Browser::Chrome => chromium(
            "Chrome",
            linux,
            software,
            [
                "Open `chrome://flags/#enable-unsafe-webgpu` and choose Enabled.",
                "Open `chrome://flags/#enable-vulkan` and choose Enabled.",
                "Open `chrome://settings/system` and switch on “Use graphics acceleration when available”.",
                "Open `chrome://gpu` and look for “WebGPU: Hardware accelerated”.",
            ],
        ),
        Browser::Edge => chromium(
            "Edge",
            linux,
            software,
            [
                "Open `edge://flags/#enable-unsafe-webgpu` and choose Enabled.",
                "Open `edge://flags/#enable-vulkan` and choose Enabled.",
                "Open `edge://settings/system` and switch on “Use graphics acceleration when available”.",
                "Open `edge://gpu` and look for “WebGPU: Hardware accelerated”.",
            ],
        ),
        Browser::Firefox => Advice {
            browser: "Firefox",
            steps: vec![
                "Update to Firefox 141 on Windows or 145 on a Mac, where WebGPU is on.",
                "Elsewhere open `about:config`, look for `dom.webgpu.enabled` and set it to true.",
                "In `about:support`, under Graphics, see that compositing is not “Software”.",
                "Restart Firefox.",
            ],
        },
        Browser::Safari => Advice {
            browser: "Safari",
            steps: vec![
                "Update to macOS 26, where Safari 26 has WebGPU switched on.",
                "On Safari 18: Settings, Advanced, “Show features for web developers”; then Feature Flags, WebGPU.",
                "Restart Safari.",
            ],
        },
        Browser::Ios => Advice {
            browser: "this iPhone or iPad",
            steps: vec![
                "Update to iOS or iPadOS 26, where WebGPU is switched on.",
                "On version 18: Settings, Apps, Safari, Advanced, Feature Flags, WebGPU.",
            ],
        },
        Browser::Other => Advice {
            browser: "this browser",
            steps: vec![
                "Open this page in a current Chrome, Edge, Firefox or Safari.",
                "See that hardware acceleration is switched on in its settings.",
            ],
        },
    }
}

fn chromium(name: &'static str, linux: bool, software: bool, steps: [&'static str; 4]) -> Advice {
    let [webgpu, vulkan, acceleration, check] = steps;
    let mut all = vec![acceleration];
    if linux || software {
        all.push(webgpu);
    }
    if linux {
        all.push(vulkan);
        all.push("See that the system has a Vulkan driver: `vulkaninfo --summary` names the graphics card.");
    }
    all.push("Restart the browser.");
    all.push(check);
    Advice { browser: name, steps: all }
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
