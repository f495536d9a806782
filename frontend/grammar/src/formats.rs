//! Formats and patterns, as regular expressions of the whole string. They allow a part of what a format does, and more in one
//! point: the length of months isn't checked.

/// Year, month and day.
const DATE: &str = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])";
const TIME: &str =
    "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])";
const BYTE: &str = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
/// A part of the address of a host, without two hyphens in a row, which stand for other letters.
const LABEL: &str = "[A-Za-z0-9](-?[A-Za-z0-9]){0,30}";
const ATOM: &str = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]";
/// Four hexadecimal digits at most.
const GROUP: &str = "[0-9A-Fa-f]{1,4}";

/// Returns the regular expression of a format; `None` if it can't be enforced.
pub(crate) fn pattern(name: &str) -> Option<String> {
    Some(match name {
        "date" => DATE.to_owned(),
        "time" => TIME.to_owned(),
        "date-time" => format!("{DATE}T{TIME}"),
        "duration" => duration(),
        "email" => format!("{ATOM}(\\.?{ATOM}){{0,31}}@{}", hostname()),
        "hostname" => hostname(),
        "ipv4" => format!("({BYTE}\\.){{3}}{BYTE}"),
        "ipv6" => ipv6(),
        "uri" => uri(),
        "uuid" => "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}".to_owned(),
        _ => return None,
    })
}

/// Units follow one another without a gap.
fn duration() -> String {
    let units = |[first, second, third]: [char; 3]| {
        let unit = |name: char| format!("[0-9]{{1,9}}{name}");
        let [a, b, c] = [first, second, third].map(unit);
        format!("({a}({b}({c})?)?|{b}({c})?|{c})")
    };
    let (date, time) = (units(['Y', 'M', 'D']), units(['H', 'M', 'S']));
    format!("P({date}(T{time})?|T{time}|[0-9]{{1,9}}W)")
}

/// At most 253 characters.
fn hostname() -> String {
    format!("{LABEL}(\\.{LABEL}){{0,3}}")
}

/// Eight groups, of which `::` stands for one or more.
fn ipv6() -> String {
    let before = |most: usize, behind: &str| format!("({GROUP}:){{1,{most}}}{behind}");
    let mut forms =
        vec![format!("({GROUP}:){{7}}{GROUP}"), before(7, ":"), format!(":((:{GROUP}){{1,7}}|:)")];
    forms.extend((1..=6).map(|most| before(most, &format!("(:{GROUP}){{1,{}}}", 7 - most))));
    forms.join("|")
}

/// With a host or a path; no address of a host in brackets.
fn uri() -> String {
    const HOST: &str = "A-Za-z0-9._~!$&'()*+,;=-";
    let part = |more: &str| format!("([{more}{HOST}]|%[0-9A-Fa-f]{{2}})");
    let (host, user, segment, tail) = (part(""), part(":"), part(":@"), part(":@/?"));
    let path = format!("(/{segment}*)*");
    format!(
        "[A-Za-z][A-Za-z0-9+.-]*:(//({user}*@)?{host}*(:[0-9]{{0,5}})?{path}|/({segment}+{path})?|{segment}+{path})(\\?{tail}*)?(#{tail}*)?"
    )
}

/// Returns the regular expression of the whole string, without anchors: an open side takes any text.
pub(crate) fn whole(pattern: &str) -> Result<String, String> {
    let (from_start, pattern) = pattern.strip_prefix('^').map_or((false, pattern), |rest| (true, rest));
    let escapes = |text: &str| text.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1;
    let closed = pattern.strip_suffix('$').filter(|rest| !escapes(rest));
    let (to_end, pattern) = closed.map_or((false, pattern), |rest| (true, rest));
    let mut depth = 0_u32;
    let mut in_class = false;
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('b' | 'B' | 'A' | 'z' | 'Z' | 'G' | '1'..='9' | 'k') if !in_class => {
                    return Err("word boundaries and back-references".to_owned());
                }
                Some(_) => {}
                None => return Err("an escape without a character".to_owned()),
            },
            ']' => in_class = false,
            _ if in_class => {}
            '[' => in_class = true,
            '(' => {
                depth += 1;
                if characters.peek() == Some(&'?') && !pattern.contains("(?:") {
                    return Err("groups that look around, have names or flags".to_owned());
                }
            }
            ')' => depth = depth.saturating_sub(1),
            '^' | '$' => return Err("an anchor inside".to_owned()),
            // It would be the choice of an anchored side and an open one.
            '|' if depth == 0 && (from_start || to_end) => {
                return Err("a choice outside of brackets beside an anchor".to_owned());
            }
            _ => {}
        }
    }
    let any = |is_closed: bool| if is_closed { "" } else { "(?s:.*)" };
    let pattern = llguidance::regex_to_lark(pattern, "dw").replace("\\/", "/");
    Ok(format!("{}(?:{pattern}){}", any(from_start), any(to_end)))
}
