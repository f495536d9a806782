//! The few things that the page asks of the browser directly. Each is harmless where there is none (on the server).

use std::time::Duration;

use serde::de::DeserializeOwned;
use wasm_bindgen::{
    JsCast as _, JsValue,
    prelude::{Closure, wasm_bindgen},
};
use wasm_bindgen_futures::JsFuture;

use crate::language::{Language, intl, t};

/// Returns a value in the page's address.
#[must_use]
pub fn query(name: &str) -> Option<String> {
    let search = web_sys::window()?.location().search().ok()?;
    query_in(&search, name)
}

/// A value in the query part of an address. Only plain words are read: nothing is decoded.
fn query_in(search: &str, name: &str) -> Option<String> {
    search.trim_start_matches('?').split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key == name).then(|| value.replace("%2C", ","))
    })
}

/// Fetches JSON from the page's own server.
///
/// # Errors
/// When the server cannot be reached or answers something else; in words.
pub async fn fetch_json<T: DeserializeOwned>(path: &str) -> Result<Answer<T>, String> {
    let (response, text) = fetch(path, &web_sys::RequestInit::new()).await?;
    if !response.ok() {
        return Err(t().server_status(&response.status().to_string()));
    }
    let kept = response.headers().has(KEPT).unwrap_or(false);
    Ok(Answer { value: read_json(&text)?, kept })
}

/// How something is asked of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// To do something.
    Post,
    /// To end something.
    Delete,
}

/// Sends JSON to the page's own server, and reads what it answers.
///
/// # Errors
/// When the server cannot be reached, or refuses; in words.
pub async fn send_json<T: DeserializeOwned>(
    method: Method,
    path: &str,
    body: Option<String>,
) -> Result<T, String> {
    let request = web_sys::RequestInit::new();
    request.set_method(match method {
        Method::Post => "POST",
        Method::Delete => "DELETE",
    });
    if let Some(body) = body {
        request.set_body(&body.into());
        let headers = js_sys::Object::new();
        // A plain object takes properties.
        js_sys::Reflect::set(&headers, &"content-type".into(), &"application/json".into()).ok();
        request.set_headers(&headers);
    }
    let (response, text) = fetch(path, &request).await?;
    if response.ok() { read_json(&text) } else { Err(text) }
}

async fn fetch(path: &str, request: &web_sys::RequestInit) -> Result<(web_sys::Response, String), String> {
    let window = web_sys::window().ok_or(t().server_no_browser())?;
    let unreachable = |_: JsValue| t().server_silent().to_owned();
    let response =
        JsFuture::from(window.fetch_with_str_and_init(path, request)).await.map_err(unreachable)?;
    let response: web_sys::Response = response.dyn_into().map_err(unreachable)?;
    let text = JsFuture::from(response.text().map_err(unreachable)?).await.map_err(unreachable)?;
    Ok((response, text.as_string().unwrap_or_default()))
}

fn read_json<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| t().server_unreadable(&error.to_string()))
}

/// The header by which the service worker (`xtask/src/site/sw.js`) marks what it has kept.
const KEPT: &str = "gemtab-kept";

/// What the server said.
pub struct Answer<T> {
    /// Its content.
    pub value: T,
    /// Whether it is from an earlier visit, because the server cannot be reached now.
    pub kept: bool,
}

/// Returns what the server wrote into a `<meta>` of the page; `None` if it wrote nothing.
#[must_use]
pub fn meta(name: &str) -> Option<String> {
    let meta = web_sys::window()?.document()?.query_selector(&format!("meta[name={name}]")).ok()??;
    meta.get_attribute("content").filter(|content| !content.is_empty())
}

/// Returns the script of the engine that is played by timers, with what it is to play: where the site has one, which only those
/// for tests do, and the page's address asks for it (`?fake=…`).
#[must_use]
pub fn simulation() -> Option<String> {
    let script = meta("gemtab-fake")?;
    query("fake").map(|words| format!("{script}?fake={words}"))
}

/// Sets the theme on the document; `None` for the system's.
pub fn set_theme(theme: Option<&str>) {
    if let Some(root) = root() {
        // Setting a data attribute on the root cannot fail.
        match theme {
            Some(theme) => root.set_attribute("data-theme", theme).ok(),
            None => root.remove_attribute("data-theme").ok(),
        };
    }
}

/// Sets the width of the rail in pixels; `None` folds it.
pub fn set_rail(width: Option<u16>) {
    let Some(root) = root() else { return };
    let name = "--rail";
    // Neither can fail: the names are well-formed.
    match width {
        Some(width) => {
            root.style().set_property(name, &format!("{width}px")).ok();
            root.remove_attribute("data-rail").ok();
        }
        None => {
            root.style().set_property(name, "0px").ok();
            root.set_attribute("data-rail", "folded").ok();
        }
    }
}

/// Whether lines run from right to left.
#[must_use]
pub fn is_right_to_left() -> bool {
    root().is_some_and(|root| root.dir() == "rtl")
}

/// Returns the distance of `x` from the edge of the window at which lines begin, in pixels.
#[must_use]
pub fn from_start(x: i32) -> i32 {
    let width = root().filter(|_| is_right_to_left()).map(|root| root.client_width());
    width.map_or(x, |width| width - x)
}

fn root() -> Option<web_sys::HtmlElement> {
    web_sys::window()?.document()?.document_element()?.dyn_into().ok()
}

/// Copies a text to the clipboard. Returns whether the browser let it.
pub async fn copy_text(text: &str) -> bool {
    let Some(window) = web_sys::window() else { return false };
    // Outside a secure context there is no clipboard, whatever the type says.
    let navigator = window.navigator();
    let has = js_sys::Reflect::get(&navigator, &"clipboard".into()).is_ok_and(|it| it.is_object());
    if has && JsFuture::from(navigator.clipboard().write_text(text)).await.is_ok() {
        return true;
    }
    select_and_copy(text).unwrap_or(false)
}

#[wasm_bindgen]
extern "C" {
    type ClipboardItem;

    #[wasm_bindgen(constructor, catch)]
    fn new(parts: &js_sys::Object) -> Result<ClipboardItem, JsValue>;
}

/// Copies HTML to the clipboard, and text for what takes no HTML. Returns whether the browser can, and let it.
pub async fn copy_html(html: &str, text: &str) -> bool {
    let Some(window) = web_sys::window() else { return false };
    let copy = || {
        let parts = js_sys::Object::new();
        for (mime, text) in [("text/html", html), ("text/plain", text)] {
            let options = web_sys::BlobPropertyBag::new();
            options.set_type(mime);
            let text = js_sys::Array::of1(&text.into());
            let blob = web_sys::Blob::new_with_str_sequence_and_options(&text, &options)?;
            js_sys::Reflect::set(&parts, &mime.into(), &blob)?;
        }
        let items = js_sys::Array::of1(&ClipboardItem::new(&parts)?.into());
        // Outside a secure context there is no clipboard, whatever the type says.
        let navigator = window.navigator();
        let clipboard = js_sys::Reflect::get(&navigator, &"clipboard".into())?;
        let clipboard: web_sys::Clipboard = clipboard.dyn_into()?;
        Ok::<_, JsValue>(clipboard.write(&items))
    };
    match copy() {
        Ok(done) => JsFuture::from(done).await.is_ok(),
        Err(_) => false,
    }
}

/// The old way: a hidden field, selected. Works where the clipboard is refused.
fn select_and_copy(text: &str) -> Option<bool> {
    let document = web_sys::window()?.document()?;
    let before = focused();
    let field: web_sys::HtmlTextAreaElement = document.create_element("textarea").ok()?.dyn_into().ok()?;
    field.set_value(text);
    field.set_class_name("copy-field");
    field.set_attribute("aria-hidden", "true").ok()?;
    let body = document.body()?;
    body.append_child(&field).ok()?;
    field.select();
    let document = document.dyn_ref::<web_sys::HtmlDocument>();
    let copied = document.and_then(|document| document.exec_command("copy").ok());
    body.remove_child(&field).ok()?;
    if let Some(before) = before {
        before.focus().ok();
    }
    copied
}

/// Offers a text as a file to keep.
pub fn download(name: &str, mime: &str, text: &str) {
    // A browser that cannot make a file of a text offers none; there is nobody else to ask.
    offer_file(name, mime, text).ok();
}

/// Offers bytes as a file to keep.
pub fn download_bytes(name: &str, bytes: &[u8]) {
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
    // As above.
    web_sys::Blob::new_with_u8_array_sequence(&parts).and_then(|blob| offer_blob(name, &blob)).ok();
}

/// A file that is made of parts of text, so that it is nowhere one text: the longest text has half a gigabyte.
pub struct FileParts {
    mime: &'static str,
    parts: js_sys::Array,
    /// Text that is not yet a part.
    rest: String,
}

impl FileParts {
    /// Bytes of a part.
    const PART: usize = 4 << 20;

    /// A file without text.
    #[must_use]
    pub fn new(mime: &'static str) -> Self {
        Self { mime, parts: js_sys::Array::new(), rest: String::new() }
    }

    /// Adds text.
    pub fn push(&mut self, text: &str) {
        self.rest.push_str(text);
        if self.rest.len() >= Self::PART {
            self.end_part();
        }
    }

    /// Offers it as a file to keep.
    pub fn download(mut self, name: &str) {
        self.end_part();
        let options = web_sys::BlobPropertyBag::new();
        options.set_type(self.mime);
        let blob = web_sys::Blob::new_with_blob_sequence_and_options(&self.parts, &options);
        // As above.
        blob.and_then(|blob| offer_blob(name, &blob)).ok();
    }

    /// The browser may keep a blob outside of memory.
    fn end_part(&mut self) {
        let text = js_sys::Array::of1(&self.rest.as_str().into());
        if let Ok(blob) = web_sys::Blob::new_with_str_sequence(&text) {
            self.parts.push(&blob);
        }
        self.rest.clear();
    }
}

fn offer_file(name: &str, mime: &str, text: &str) -> Result<(), JsValue> {
    let options = web_sys::BlobPropertyBag::new();
    options.set_type(mime);
    let parts = js_sys::Array::of1(&text.into());
    offer_blob(name, &web_sys::Blob::new_with_str_sequence_and_options(&parts, &options)?)
}

/// How long a browser may take to begin with a file. WebKit saves nothing of an address that is revoked at once.
const DOWNLOAD_BEGINS: Duration = Duration::from_secs(40);

fn offer_blob(name: &str, blob: &web_sys::Blob) -> Result<(), JsValue> {
    let document = web_sys::window().and_then(|window| window.document()).ok_or(JsValue::NULL)?;
    let url = web_sys::Url::create_object_url_with_blob(blob)?;
    let link: web_sys::HtmlAnchorElement = document.create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    after(DOWNLOAD_BEGINS, move || {
        // One that was revoked already is no loss.
        web_sys::Url::revoke_object_url(&url).ok();
    });
    Ok(())
}

/// Returns the files of a list.
#[must_use]
pub fn files_of(files: &web_sys::FileList) -> Vec<web_sys::File> {
    (0..files.length()).filter_map(|at| files.get(at)).collect()
}

/// Whether a media query matches now.
#[must_use]
pub fn matches_media(query: &str) -> bool {
    web_sys::window()
        .and_then(|window| window.match_media(query).ok().flatten())
        .is_some_and(|list| list.matches())
}

/// Whether there is no room beside the conversation: the drawer then lies over it and keeps the focus.
#[must_use]
pub fn drawer_covers() -> bool {
    matches_media("(max-width: 1099px)")
}

/// Whether the page is so narrow that its rail is a sheet, and dialogs cover it. The style sheet has the same limit.
#[must_use]
pub fn is_narrow() -> bool {
    matches_media("(max-width: 899px)")
}

/// Whether the browser trusts this page's address; without that it offers no WebGPU.
#[must_use]
pub fn is_secure() -> bool {
    web_sys::window().is_none_or(|window| window.is_secure_context())
}

/// Returns what the browser calls itself.
#[must_use]
pub fn user_agent() -> String {
    web_sys::window().and_then(|window| window.navigator().user_agent().ok()).unwrap_or_default()
}

/// Whether this is an iPad, whose browser calls itself one of a Mac. No Mac has a touch screen.
#[must_use]
pub fn is_ipad() -> bool {
    let touches = web_sys::window().map_or(0, |window| window.navigator().max_touch_points());
    touches > 1 && user_agent().contains("Macintosh")
}

/// This page's origin, such as `http://127.0.0.1:3000`.
#[must_use]
pub fn origin() -> String {
    web_sys::window().and_then(|window| window.location().origin().ok()).unwrap_or_default()
}

/// Minutes that local time is behind universal time.
#[must_use]
pub fn timezone_offset() -> i32 {
    if web_sys_absent() { 0 } else { js_sys::Date::new_0().get_timezone_offset() as i32 }
}

/// Returns a moment as the language writes it; empty on the server.
#[must_use]
pub fn local_time(milliseconds: f64) -> String {
    intl::date_time(Language::now(), milliseconds)
}

/// Today where the user is, as `2026-11-28`.
#[must_use]
pub fn today() -> String {
    let now = js_sys::Date::new_0();
    format!("{}-{:02}-{:02}", now.get_full_year(), now.get_month() + 1, now.get_date())
}

fn web_sys_absent() -> bool {
    cfg!(not(target_arch = "wasm32"))
}

/// Loads the page again.
pub fn reload() {
    if let Some(window) = web_sys::window() {
        // A browser that refuses to reload leaves the page as it is.
        window.location().reload().ok();
    }
}

/// Whether a modal dialog is open: then keys belong to it.
#[must_use]
pub fn modal_is_open() -> bool {
    web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.query_selector("dialog:modal").ok().flatten())
        .is_some()
}

/// Returns what has the focus; `None` if nothing has, which is when the document's body has it.
#[must_use]
pub fn focused() -> Option<web_sys::HtmlElement> {
    let element = web_sys::window()?.document()?.active_element()?;
    element.dyn_into::<web_sys::HtmlElement>().ok().filter(|element| element.tag_name() != "BODY")
}

/// Puts the focus where the user most likely goes on: into the dialog that is open, else the message, else the page.
pub fn focus_somewhere() {
    let document = web_sys::window().and_then(|window| window.document());
    let Some(document) = document else { return };
    // A field would bring the keyboard of a phone up.
    let fields = if matches_media("(pointer: coarse)") { "" } else { "#composer, " };
    let places = if modal_is_open() {
        "dialog:modal :is(input, textarea, select, button):not(:disabled)".to_owned()
    } else {
        format!("{fields}#main .log, #main")
    };
    for place in places.split(", ").filter(|place| !place.is_empty()) {
        let found = document.query_selector(place).ok().flatten();
        if let Some(found) = found.and_then(|found| found.dyn_into::<web_sys::HtmlElement>().ok()) {
            // What cannot take the focus leaves it to nobody, as before.
            found.focus().ok();
            return;
        }
    }
}

/// Has the browser keep a part that is fetched when it is needed, for when the server can't be reached: the boot script listens.
pub fn keep_part(part: &str) {
    // An event of this name is never refused.
    web_sys::Event::new(part)
        .ok()
        .zip(web_sys::window())
        .and_then(|(event, window)| window.dispatch_event(&event).ok());
}

/// Calls `act` before the next repaint, even if the owner that asks for it is gone by then: Leptos' own function would not.
pub fn next_frame(act: impl FnOnce() + 'static) {
    let callback = Closure::once_into_js(act);
    if let Some(window) = web_sys::window() {
        // Every window has frames.
        window.request_animation_frame(callback.unchecked_ref()).ok();
    }
}

/// Calls `act` after `time`, even if the owner that asks for it is gone by then, as [`next_frame`].
pub fn after(time: Duration, act: impl FnOnce() + 'static) {
    let ms = u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
    gloo_timers::callback::Timeout::new(ms, act).forget();
}

/// Restores the focus if it is lost while the page is redrawn: moving an element in the document takes the focus from it.
pub fn keep_focus_while_drawn() {
    // Nothing has the focus on the server.
    if !cfg!(target_arch = "wasm32") {
        return;
    }
    if let Some(element) = focused() {
        next_frame(move || {
            if element.is_connected() && focused().is_none() {
                element.focus().ok();
            }
        });
    }
}

/// Puts the focus on what a selector finds.
pub fn focus(selector: &str) {
    let found = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.query_selector(selector).ok().flatten());
    if let Some(found) = found.and_then(|found| found.dyn_into::<web_sys::HtmlElement>().ok()) {
        // What cannot take the focus leaves it to nobody, as before.
        found.focus().ok();
    }
}

/// Above this height, in pixels, a field of text scrolls.
const FIELD_HEIGHT: i32 = 280;

/// Makes a field as high as its text. Set through the style object, which the content policy allows.
pub fn autosize(field: &web_sys::HtmlTextAreaElement) {
    let style = web_sys::HtmlElement::style(field);
    // While the field is low, what scrolls it has less to scroll and moves.
    let scroller = field.parent_element();
    let before = (field.scroll_top(), scroller.as_ref().map(|it| it.scroll_top()));
    // A property that the browser knows is never refused.
    style.set_property("height", "auto").ok();
    let height = field.scroll_height().min(FIELD_HEIGHT);
    style.set_property("height", &format!("{height}px")).ok();
    field.set_scroll_top(before.0);
    if let (Some(scroller), Some(top)) = (scroller, before.1) {
        scroller.set_scroll_top(top);
    }
}

/// Whether a key belongs to an input method, which makes a character of several: Enter and Esc are its own then. Safari says of
/// the Enter that ends this only by its code that it does.
#[must_use]
pub fn is_composing(event: &web_sys::KeyboardEvent) -> bool {
    const OF_INPUT_METHOD: u32 = 229;
    event.is_composing() || event.key_code() == OF_INPUT_METHOD
}

/// Has the browser ask before the page is closed.
pub fn hold_back(event: &web_sys::BeforeUnloadEvent) {
    event.prevent_default();
    // Chrome before 119 asks only for this.
    event.set_return_value("1");
}

/// Whether a key press goes into a field.
#[must_use]
pub fn typing_in_field() -> bool {
    let active =
        web_sys::window().and_then(|window| window.document()).and_then(|document| document.active_element());
    active.is_some_and(|element| {
        matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
            || element.has_attribute("contenteditable")
    })
}

#[cfg(test)]
mod tests {
    use super::query_in;

    #[test]
    fn values_are_found_by_name() {
        assert_eq!(query_in("?fake=slow%2Cdemo&x=1", "fake").as_deref(), Some("slow,demo"));
        assert_eq!(query_in("?fake", "fake").as_deref(), Some(""));
        assert_eq!(query_in("?x=fake", "fake"), None);
        assert_eq!(query_in("", "fake"), None);
    }
}
