//! Where the time of a drawn token goes.

use leptos::prelude::*;
use protocol::Profile;
use protocol::diagnosis::bytes_per_s;

use super::measure::StartButton;
use super::{Pairs, pairs_view};
use crate::{
    format,
    language::{Text, t},
    state::measuring::{Kind, Measurements},
};

/// What the columns are.
const COLUMNS: [fn(Text) -> &'static str; 5] = [
    Text::kernels_kernel,
    Text::kernels_dispatches,
    Text::kernels_ms,
    Text::kernels_rate,
    Text::kernels_share,
];

/// The profile.
#[component]
pub fn Kernels(measured: Measurements) -> impl IntoView {
    view! {
        <section class="part">
            <h2>{t().kernels()}</h2>
            <p class="muted">
                {t().kernels_hint()}
            </p>
            <StartButton measured kind=Kind::Profile label=t().kernels_start() of_model=true />
            <div role="status">
                {move || measured.profile.with(|profile| profile.as_ref().map(profile_view))}
            </div>
        </section>
    }
}

fn profile_view(profile: &Profile) -> impl IntoView + use<> {
    let head = COLUMNS.map(|name| view! { <th scope="col">{name(t())}</th> });
    let row = |[name, rest @ ..]: [String; 5]| {
        let cells = rest.map(|value| view! { <td class="numbers">{value}</td> });
        view! { <tr><th scope="row"><code>{name}</code></th>{cells.into_iter().collect_view()}</tr> }
    };
    let body: Vec<_> = rows(profile).into_iter().map(row).collect();
    view! {
        <dl class="pairs">{pairs_view(pairs(profile))}</dl>
        <div class="scroll-x" tabindex="0" role="region" aria-label=t().kernels()>
            <table class="table">
                <thead><tr>{head.into_iter().collect_view()}</tr></thead>
                <tbody>{body}</tbody>
            </table>
        </div>
    }
}

/// Returns the whole token, for people.
pub fn pairs(profile: &Profile) -> Pairs {
    let alone: f64 = profile.kernels.iter().map(|kernel| kernel.ms).sum();
    let measured_by = if profile.timestamps { t().kernels_by_timestamps() } else { t().kernels_by_clock() };
    vec![
        (t().kernels_bandwidth(), t().per_second(&format::bytes(profile.copy_bytes_per_s as u64))),
        (t().kernels_read(), format::bytes(profile.token_bytes)),
        (
            t().kernels_time(),
            t().kernels_times(&format::number(profile.token_ms, 3), &format::number(alone, 3)),
        ),
        (t().kernels_share(), percent(profile.share(profile.token_bytes, profile.token_ms))),
        (t().kernels_dispatches(), format::count(profile.dispatches.into())),
        (t().kernels_measured(), measured_by.to_owned()),
    ]
}

/// Returns a row for each kernel, longest first.
pub fn rows(profile: &Profile) -> Vec<[String; 5]> {
    let row = |kernel: &protocol::diagnosis::KernelTime| {
        let (rate, share) = if kernel.bytes > 0 {
            let rate = bytes_per_s(kernel.bytes, kernel.ms) / 1e9;
            (format::number(rate, 1), percent(profile.share(kernel.bytes, kernel.ms)))
        } else {
            ("–".to_owned(), "–".to_owned())
        };
        [
            kernel.name.clone(),
            format::count(kernel.dispatches.into()),
            format::number(kernel.ms, 3),
            rate,
            share,
        ]
    };
    profile.kernels.iter().map(row).collect()
}

fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 0.95 {
        t().kernels_below(&t().unit_percent(&format::count(1)))
    } else {
        t().unit_percent(&format::number(percent, 0))
    }
}

#[cfg(test)]
mod tests {
    use protocol::diagnosis::KernelTime;

    use super::*;

    #[test]
    fn a_kernel_is_measured_by_what_it_reads() {
        let kernel = |bytes| KernelTime { name: "k".into(), dispatches: 2, ms: 2.0, bytes };
        let kernels = vec![kernel(100_000_000), kernel(0)];
        let profile = Profile { copy_bytes_per_s: 100e9, kernels, ..Profile::default() };
        let text = |cells: [&str; 5]| cells.map(str::to_owned);
        let expected = [text(["k", "2", "2.000", "50.0", "50%"]), text(["k", "2", "2.000", "–", "–"])];
        assert_eq!(rows(&profile), expected);
    }

    #[test]
    fn a_small_share_is_not_none() {
        assert_eq!([0.0, 0.002, 0.0096, 0.5].map(percent), ["0%", "below 1%", "1%", "50%"]);
    }
}
