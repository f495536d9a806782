//! Classes of devices by whose memory theirs is, and how much of it models may plan with where no driver tells.
//!
//! WebGPU tells no amount of memory. What it tells, the maker and the architecture, says whether a device has memory of its own;
//! how much the computer has, only Chromium tells, roughly. So these numbers are cautious: below what an ordinary device of the
//! class has, beside the system and the browser. A load that works, or an allocation that fails, says more than they do.

/// Bytes of a GiB.
const GIB: u64 = 1 << 30;
/// The least memory that Macs with Apple's chips have, and that a laptop is assumed to have.
const COMPUTER: u64 = 8 * GIB;
/// Memory that a phone is assumed to have: the oldest iPhones with WebGPU have as much (iOS 26 runs on the iPhone 11).
const PHONE: u64 = 4 * GIB;
/// Memory that a graphics card is assumed to have: most have as much or more (Steam's hardware survey).
const CARD: u64 = 8 * GIB;
/// More than any browser tells.
const MOST_TOLD: u64 = 1024 * GIB;

/// Whose memory a device computes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceClass {
    /// That of a Mac, which processor and graphics share.
    Unified,
    /// The computer's, of which the system lets graphics have a part. Also what is not known to be of another class.
    Integrated,
    /// Its own.
    Discrete,
    /// That of a phone or a tablet, whose system ends a page that takes too much.
    Phone,
}

/// What a browser tells of a device and of the computer. Any of it may be empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceHints<'a> {
    /// `GPUAdapterInfo.vendor`.
    pub vendor: &'a str,
    /// `GPUAdapterInfo.architecture`.
    pub architecture: &'a str,
    /// The browser as it names itself.
    pub user_agent: &'a str,
    /// Whether it is known to be a phone or a tablet, whatever the browser calls itself.
    pub mobile: bool,
}

impl DeviceClass {
    /// Returns the class of a device in a browser. Names of makers and architectures are those of Dawn's `gpu_info.json`.
    #[must_use]
    pub fn of(hints: DeviceHints<'_>) -> Self {
        let DeviceHints { vendor, architecture, user_agent, mobile } = hints;
        let runs_on = |names: &[&str]| names.iter().any(|name| user_agent.contains(name));
        if mobile || runs_on(&["Android", "iPhone", "iPad", "Mobile"]) {
            return Self::Phone;
        }
        match vendor {
            "apple" => Self::Unified,
            "nvidia" => Self::Discrete,
            // Arc: `gen-12-hp`, `xe-hpg` and those after them. Graphics of processors end in `lp` or `lpg`.
            "intel" if architecture.ends_with("hp") || architecture.ends_with("hpg") => Self::Discrete,
            // Laptops have these, too.
            "qualcomm" | "arm" | "img-tec" | "samsung" if !runs_on(&["Windows"]) => Self::Phone,
            // Firefox tells no maker; on Macs it has WebGPU with Apple's chips alone.
            "" if runs_on(&["Macintosh"]) => Self::Unified,
            // AMD's cards have the names of AMD's processors.
            _ => Self::Integrated,
        }
    }

    /// Returns how many bytes models may plan with. `told` is the memory of the whole computer as the browser tells it.
    ///
    /// `navigator.deviceMemory` is rounded to a power of two, and no browser tells more than 8 GiB of a phone, or of a computer
    /// before Chromium 147, then 32 (<https://chromestatus.com/feature/6330376953921536>). So a computer has about that much or
    /// more, which does not make a graphics card larger.
    #[must_use]
    pub fn memory(self, told: Option<u64>) -> u64 {
        let told = told.map(|bytes| bytes.clamp(GIB, MOST_TOLD));
        match self {
            // Metal recommends to use two thirds of up to 32 GB: 10 922 of 16 384 MiB (`recommendedMaxWorkingSetSize` in
            // llama.cpp#5206 and others). A tenth of that is for all else that is shown.
            Self::Unified => told.unwrap_or(COMPUTER).max(COMPUTER) / 30 * 18,
            // Windows lets graphics have half ("Limited by OS to one-half of System Memory", Intel's support article 000020962).
            // A tenth of that likewise.
            Self::Integrated => told.unwrap_or(COMPUTER) / 20 * 9,
            Self::Discrete => CARD / 10 * 9,
            // Nobody documents it: browsers end pages at 1.5 to 2 GB of an iPhone, and a model of 4 GB did not load in one of
            // 12 GB (mlc-llm#2703), nor one of 1.6 GB always in one of 6 (web-llm#524).
            Self::Phone => told.unwrap_or(PHONE) / 8 * 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOWS: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/150.0.0.0";
    const MAC: &str = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0";
    const LINUX: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150.0.0.0";
    const ANDROID: &str = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/150.0.0.0 Mobile";
    const IPHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15";

    #[test]
    fn a_class_follows_from_what_a_browser_tells() {
        use DeviceClass as C;
        for (vendor, architecture, user_agent, class) in [
            ("apple", "metal-3", MAC, C::Unified),
            ("", "", MAC, C::Unified),
            ("apple", "", IPHONE, C::Phone),
            ("qualcomm", "adreno-7xx", ANDROID, C::Phone),
            ("nvidia", "maxwell", ANDROID, C::Phone),
            ("arm", "valhall", LINUX, C::Phone),
            ("qualcomm", "adreno-8xx", WINDOWS, C::Integrated),
            ("intel", "gen-12-lp", WINDOWS, C::Integrated),
            ("intel", "gen-12-hp", WINDOWS, C::Discrete),
            ("intel", "xe-2-hpg", LINUX, C::Discrete),
            ("amd", "rdna-2", WINDOWS, C::Integrated),
            ("nvidia", "lovelace", WINDOWS, C::Discrete),
            ("", "", WINDOWS, C::Integrated),
            ("google", "swiftshader", LINUX, C::Integrated),
        ] {
            let hints = DeviceHints { vendor, architecture, user_agent, mobile: false };
            assert_eq!(C::of(hints), class, "{vendor} {architecture} {user_agent}");
            assert_eq!(C::of(DeviceHints { mobile: true, ..hints }), C::Phone);
        }
    }

    #[test]
    fn more_is_assumed_where_the_browser_tells_of_more() {
        for class in [DeviceClass::Unified, DeviceClass::Integrated, DeviceClass::Phone] {
            let told = |gib: u64| class.memory(Some(gib * GIB));
            assert!(told(8) < told(16) && told(16) < 16 * GIB, "{class:?}");
            assert!(class.memory(None) <= told(8), "{class:?}");
            // Nothing that a browser tells makes it overflow, or leaves nothing.
            assert!(told(1 << 33) < 1024 * GIB && class.memory(Some(0)) > GIB / 4, "{class:?}");
        }
        assert_eq!(DeviceClass::Discrete.memory(Some(64 * GIB)), DeviceClass::Discrete.memory(None));
    }
}
