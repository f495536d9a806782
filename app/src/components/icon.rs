//! The drawings: lines of 1.75 on a grid of 24, in the colour of the text.

use leptos::prelude::*;

use crate::history::PresetIcon;

/// What a drawing shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Glyph {
    /// A plus sign.
    Plus,
    /// A magnifying glass.
    Search,
    /// A cross.
    Close,
    /// Three lines.
    Menu,
    /// A window with a bar at its side.
    Sidebar,
    /// Three dots.
    More,
    /// An arrow upward.
    Send,
    /// A filled square.
    Stop,
    /// Two sheets.
    Copy,
    /// A tick.
    Check,
    /// An arrow that turns round.
    Again,
    /// A line that divides.
    Branch,
    /// A picture in its frame.
    Picture,
    /// A sheet with lines.
    Document,
    /// Two angle brackets.
    Code,
    /// A light bulb.
    Think,
    /// A pencil.
    Edit,
    /// A bin.
    Delete,
    /// An arrow out of a tray.
    Export,
    /// An arrow into a tray.
    Import,
    /// An angle to the left.
    Left,
    /// An angle to the right.
    Right,
    /// An angle upward.
    Up,
    /// An angle downward.
    Down,
    /// An arrow downward.
    ToEnd,
    /// Two sliders.
    Sliders,
    /// Stacked layers.
    Models,
    /// A curve that falls, between its axes.
    Tune,
    /// A pulse.
    Diagnostics,
    /// A cog.
    Settings,
    /// A triangle with an exclamation mark.
    Warning,
    /// A circle with an i.
    Info,
    /// An open folder.
    Folder,
    /// A drawing pin.
    Pin,
    /// A box with a lid.
    Archive,
    /// A bubble of speech, dashed.
    Temporary,
    /// A clock.
    Clock,
    /// A bubble of speech.
    Chat,
    /// A sun and a moon.
    Theme,
    /// A padlock.
    Private,
    /// A camera.
    Camera,
    /// A microphone.
    Microphone,
    /// A microphone beside lines of text.
    Dictate,
    /// A loudspeaker.
    Speaker,
    /// A wave of sound.
    Voice,
    /// A filled triangle.
    Play,
    /// Two bars.
    Pause,
    /// Four corners.
    Expand,
}

impl Glyph {
    /// The path, on a grid of 24.
    fn path(self) -> &'static str {
        match self {
            Self::Plus => "M12 5v14M5 12h14",
            Self::Search => "M10.5 4a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13ZM15.5 15.5L20 20",
            Self::Close => "M6 6l12 12M18 6L6 18",
            Self::Menu => "M4 7h16M4 12h16M4 17h10",
            Self::Sidebar => "M4 5.5h16v13H4ZM9.5 5.5v13",
            Self::More => "M5.5 12h.01M12 12h.01M18.5 12h.01",
            Self::Send => "M12 19V5.5M6 11l6-6l6 6",
            Self::Stop => "M8 8h8v8h-8Z",
            Self::Copy => "M9 9h10v11h-10ZM15 5.5V4H5v11h1.5",
            Self::Check => "M5 12.5l4.5 4.5L19 7.5",
            Self::Again => "M19.5 12a7.5 7.5 0 1 1-2.4-5.5M19.5 3.5v4h-4",
            Self::Branch => "M7 4v16M7 15.5c0-5 10-3.5 10-9.5M13.5 9L17 5.5L20.5 9",
            Self::Picture => "M4.5 5.5h15v13h-15ZM5 16l4.5-4.5l3.5 3.5l2.5-2.5l4 4M15 9h.01",
            Self::Document => "M7 4h7l4 4v12H7ZM14 4v4h4M9.5 12.5h6M9.5 16h6",
            Self::Code => "M9 7l-5 5l5 5M15 7l5 5l-5 5",
            Self::Think => {
                "M9.5 18h5M10.5 20.5h3M9.5 15.5c0-2-3-3-3-6.5a5.5 5.5 0 0 1 11 0c0 3.5-3 4.5-3 6.5Z"
            }
            Self::Edit => "M5 19l.8-3.6L16.2 5a1.9 1.9 0 0 1 2.8 2.8L8.6 18.2ZM14.5 6.8l2.7 2.7",
            Self::Delete => "M4.5 7h15M9.5 7V4.5h5V7M6.5 7l.9 12.5h9.2L17.5 7M10.3 11v5M13.7 11v5",
            Self::Export => "M12 14.5V4M8 7.5L12 3.8l4 3.7M5 13v6.5h14V13",
            Self::Import => "M12 4v10.5M8 11l4 3.7l4-3.7M5 13v6.5h14V13",
            Self::Left => "M14.5 6l-6 6l6 6",
            Self::Right => "M9.5 6l6 6l-6 6",
            Self::Up => "M6 14.5l6-6l6 6",
            Self::Down => "M6 9.5l6 6l6-6",
            Self::ToEnd => "M12 5v13.5M6 13l6 6l6-6",
            Self::Sliders => {
                "M4 8h8.5M17.5 8H20M4 16h2.5M11.5 16H20M15 5.5a2.5 2.5 0 1 1 0 5a2.5 2.5 0 0 1 0-5ZM9 13.5a2.5 2.5 0 1 1 0 5a2.5 2.5 0 0 1 0-5Z"
            }
            Self::Models => "M12 4l8.5 4.5L12 13L3.5 8.5ZM4 12.5l8 4.2l8-4.2M4 16.3l8 4.2l8-4.2",
            Self::Tune => "M4 4v16h16M7.5 6.5c1.5 7 5 9 12.5 9.5",
            Self::Diagnostics => "M3.5 12.5h4l2.2-7l4.2 13.5l2.3-6.5h4.3",
            Self::Settings => {
                "M12 9a3 3 0 1 1 0 6a3 3 0 0 1 0-6ZM12 3.5v2.4M12 18.1v2.4M3.5 12h2.4M18.1 12h2.4M6 6l1.7 1.7M16.3 16.3L18 18M18 6l-1.7 1.7M7.7 16.3L6 18"
            }
            Self::Warning => "M12 4.5L21 19.5H3ZM12 10.5v4M12 17h.01",
            Self::Info => "M12 3.8a8.2 8.2 0 1 1 0 16.4a8.2 8.2 0 0 1 0-16.4ZM12 11v5M12 8h.01",
            Self::Folder => "M3.5 18.5V6h6l2 2.5h8v2.5M3.5 18.5L6.5 11h15l-2.8 7.5Z",
            Self::Pin => "M9 4h6l-.8 6l3.3 3.5h-11L9.8 10ZM12 13.5V20",
            Self::Archive => "M4 5h16v4H4ZM5.5 9v10h13V9M10 12.5h4",
            Self::Temporary => {
                "M4.5 9V5.5H8M11 5.5h2.5M16.5 5.5h3V9M19.5 12v4.5H16M13 16.5h-2l-4 3.5v-3.5H4.5V12"
            }
            Self::Clock => "M12 3.8a8.2 8.2 0 1 1 0 16.4a8.2 8.2 0 0 1 0-16.4ZM12 7.5V12l3 2",
            Self::Chat => "M4.5 5.5h15v11h-8.5l-4 3.5v-3.5h-2.5Z",
            Self::Theme => "M12 4a8 8 0 1 0 0 16ZM12 4a8 8 0 0 1 0 16",
            Self::Camera => {
                "M4 7.5h3.5L9 5.5h6l1.5 2h3.5v11H4ZM12 9.7a3.3 3.3 0 1 1 0 6.6a3.3 3.3 0 0 1 0-6.6Z"
            }
            Self::Microphone => {
                "M12 4a2.6 2.6 0 0 1 2.6 2.6v4.8a2.6 2.6 0 0 1-5.2 0V6.6A2.6 2.6 0 0 1 12 4ZM6.5 11a5.5 5.5 0 0 0 11 0M12 16.5V20"
            }
            Self::Dictate => {
                "M8 4a2.4 2.4 0 0 1 2.4 2.4v4.2a2.4 2.4 0 0 1-4.8 0V6.4A2.4 2.4 0 0 1 8 4ZM3 10.5a5 5 0 0 0 10 0M8 15.5V20M15 6h6M16 10.5h5M15 15h6"
            }
            Self::Voice => "M4 10v4M8 7v10M12 4v16M16 7v10M20 10v4",
            Self::Speaker => "M4 10v4h3.5L12 18V6L7.5 10ZM15.5 9.5a4 4 0 0 1 0 5M18 7a7.5 7.5 0 0 1 0 10",
            Self::Play => "M8 6l10 6l-10 6Z",
            Self::Pause => "M9 6v12M15 6v12",
            Self::Expand => "M4.5 9V4.5H9M15 4.5h4.5V9M19.5 15v4.5H15M9 19.5H4.5V15",
            Self::Private => "M6 11h12v9h-12ZM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
        }
    }

    /// Whether the drawing is a filled shape.
    fn filled(self) -> bool {
        matches!(self, Self::Stop | Self::Play)
    }

    /// Whether it points along a line, and so the other way where lines run from right to left.
    fn points(self) -> bool {
        matches!(self, Self::Left | Self::Right | Self::Sidebar | Self::Menu | Self::Dictate | Self::Speaker)
    }

    /// Whether its dots are thick.
    fn dots(self) -> bool {
        self == Self::More
    }
}

/// A drawing. It says nothing to a screen reader: the button around it carries the words.
#[component]
pub fn Icon(
    /// What to draw.
    #[prop(into)]
    glyph: Signal<Glyph>,
) -> impl IntoView {
    view! {
        <svg
            class="icon"
            class:points=move || glyph.get().points()
            viewBox="0 0 24 24"
            width="20"
            height="20"
            fill=move || if glyph.get().filled() { "currentColor" } else { "none" }
            stroke="currentColor"
            stroke-width=move || if glyph.get().dots() { "2.6" } else { "1.75" }
            stroke-linecap="round"
            stroke-linejoin="round"
            aria-hidden="true"
            focusable="false"
        >
            <path d=move || glyph.get().path() />
        </svg>
    }
}

/// The drawing of a preset.
#[must_use]
pub fn glyph_of(icon: PresetIcon) -> Glyph {
    match icon {
        PresetIcon::Chat => Glyph::Chat,
        PresetIcon::Pencil => Glyph::Edit,
        PresetIcon::Code => Glyph::Code,
        PresetIcon::Document => Glyph::Document,
        PresetIcon::Bulb => Glyph::Think,
        PresetIcon::Magnifier => Glyph::Search,
        PresetIcon::Picture => Glyph::Picture,
        PresetIcon::Chart => Glyph::Tune,
    }
}
