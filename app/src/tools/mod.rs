//! The tools that the page itself has, and those of servers as a model reads them. The page's own need no network. What runs them
//! is in the part of the wasm that comes later.

mod calculator;
mod clock;
mod error;
mod javascript;
mod number;
mod sandbox;
mod units;

pub use error::ToolError;
pub use javascript::compute;
pub use sandbox::prepare;

use protocol::{Constraint, Tool, ToolCall};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::history::{self, JAVASCRIPT, Options, Query};
use crate::language::t;
use crate::mcp::McpServer;

/// A tool of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltIn {
    /// Exact arithmetic.
    Calculator,
    /// Date and time.
    Clock,
    /// The user's other conversations.
    Search,
    /// Programs and charts.
    JavaScript,
}

/// What a model reads of a tool.
#[derive(Deserialize)]
struct Declaration<'a> {
    name: String,
    description: String,
    #[serde(borrow)]
    parameters: &'a RawValue,
}

/// The outcome of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// The result.
    Done(String),
    /// Other conversations are to be searched.
    Search(Query),
    /// This code is to be run.
    Program(String),
}

impl BuiltIn {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Calculator, Self::Clock, Self::Search, Self::JavaScript];

    /// The name by which a model calls it and a conversation keeps that it is on.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calculator => "calculate",
            Self::Clock => "current_time",
            Self::Search => "search_conversations",
            Self::JavaScript => JAVASCRIPT,
        }
    }

    /// The tool of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// What the user calls it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Calculator => t().tool_calculator(),
            Self::Clock => t().tool_clock(),
            Self::Search => t().tool_search(),
            Self::JavaScript => t().tool_javascript(),
        }
    }

    /// What it may do.
    #[must_use]
    pub fn hint(self) -> &'static str {
        match self {
            Self::Calculator => t().tool_calculator_hint(),
            Self::Clock => t().tool_clock_hint(),
            Self::Search => t().tool_search_hint(),
            Self::JavaScript => t().tool_javascript_hint(),
        }
    }
}

/// Returns the tools of these names as a model reads them, also those of servers that are among the names. Names that are unknown,
/// such as those of a newer page, declare nothing.
#[must_use]
pub fn declared(names: &[String], servers: &[McpServer]) -> Vec<Tool> {
    let all: Vec<Declaration> = serde_json::from_str(include_str!("declarations.json")).unwrap_or_default();
    let all = all.into_iter().filter(|it| names.contains(&it.name));
    let tool = |it: Declaration| Tool {
        name: it.name,
        description: it.description,
        parameters: it.parameters.get().to_owned(),
    };
    let others = servers.iter().filter(|server| server.is_among(names)).flat_map(McpServer::usable);
    let others = others.map(|it| Tool {
        name: it.alias.clone(),
        description: it.description.clone(),
        parameters: it.parameters.clone(),
    });
    all.map(tool).chain(others).collect()
}

/// Returns what the answers of a conversation may be.
#[must_use]
pub fn constraint(options: &Options, servers: &[McpServer]) -> Constraint {
    Constraint { tools: declared(&options.tools, servers), must_call: false, format: options.format.clone() }
}

/// Carries out a call of a tool that is on, as far as that needs nothing of the page.
///
/// # Errors
/// Why there is no result.
pub fn run(call: &ToolCall, options: &Options) -> Result<CallOutcome, ToolError> {
    let tool = BuiltIn::named(&call.name).filter(|tool| options.tools.iter().any(|on| on == tool.name()));
    let tool = tool.ok_or(ToolError::UnknownTool)?;
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    let text = |name: &str| arguments[name].as_str().unwrap_or_default();
    Ok(match tool {
        BuiltIn::Calculator => CallOutcome::Done(calculator::calculate(text("expression"))?),
        BuiltIn::Clock => {
            let (ahead, zone) = time_zone();
            CallOutcome::Done(clock::written(history::now(), ahead, &zone))
        }
        BuiltIn::Search => CallOutcome::Search(Query::new(text("words")).ok_or(ToolError::NoWords)?),
        BuiltIn::JavaScript => CallOutcome::Program(text("code").to_owned()),
    })
}

/// By how many minutes the local time is ahead of UTC, and the name of the zone.
#[cfg(target_arch = "wasm32")]
fn time_zone() -> (i64, String) {
    let options = js_sys::Intl::DateTimeFormat::default().resolved_options();
    let zone = js_sys::Reflect::get(&options, &"timeZone".into()).ok().and_then(|zone| zone.as_string());
    let behind = js_sys::Date::new_0().get_timezone_offset();
    (-behind as i64, zone.unwrap_or_default())
}

#[cfg(not(target_arch = "wasm32"))]
fn time_zone() -> (i64, String) {
    (0, "UTC".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::{McpError, McpTool};

    fn call(name: &str, arguments: &str) -> ToolCall {
        ToolCall { id: "1-1".into(), name: name.into(), arguments: arguments.into() }
    }

    #[test]
    fn every_tool_is_declared_under_its_name() {
        let names = BuiltIn::ALL.map(|tool| tool.name().to_owned());
        let declared = declared(&names, &[]);
        assert_eq!(declared.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), names);
        for tool in &declared {
            assert!(serde_json::from_str::<Value>(&tool.parameters).is_ok_and(|it| it.is_object()));
        }
        assert!(super::declared(&["of a newer page".to_owned()], &[]).is_empty());
        assert!(
            names.iter().all(|name| !name.contains("__")),
            "no server's tool is called like one of these"
        );
    }

    #[test]
    fn tools_of_a_server_are_declared_where_it_is_on() {
        let tool =
            |alias: &str, on, refused| McpTool { alias: alias.into(), on, refused, ..McpTool::default() };
        let tools = vec![
            tool("w__a", true, None),
            tool("w__b", false, None),
            tool("w__c", true, Some(String::new())),
        ];
        let server =
            McpServer { address: "https://w.example/".into(), on: true, tools, ..McpServer::default() };
        let names = |on: bool, options: &[String]| {
            let server = McpServer { on, ..server.clone() };
            declared(options, &[server]).into_iter().map(|tool| tool.name).collect::<Vec<_>>()
        };
        assert_eq!(names(true, &[server.option()]), ["w__a"]);
        assert!(names(false, &[server.option()]).is_empty());
        assert!(names(true, &["mcp:https://other.example/".to_owned()]).is_empty());
    }

    #[test]
    fn only_tools_that_are_on_are_run() {
        let options = Options { tools: vec!["calculate".into()], ..Options::default() };
        assert_eq!(
            run(&call("calculate", r#"{"expression":"0.1+0.2"}"#), &options),
            Ok(CallOutcome::Done("0.3".into()))
        );
        for (name, arguments, error, json) in [
            (
                "calculate",
                r#"{"expression":"1/0"}"#,
                ToolError::DivisionByZero,
                r#"{"error":"division-by-zero"}"#,
            ),
            ("calculate", "[]", ToolError::Syntax { character: 0 }, r#"{"error":"syntax-at-character-0"}"#),
            ("current_time", "{}", ToolError::UnknownTool, r#"{"error":"unknown-tool"}"#),
            ("other", "{}", ToolError::UnknownTool, r#"{"error":"unknown-tool"}"#),
        ] {
            assert_eq!(error.to_json(), json);
            assert_eq!(ToolError::from_json(json), Some(error.clone()));
            assert_eq!(run(&call(name, arguments), &options), Err(error), "{name} {arguments}");
        }
        let thrown = ToolError::Thrown { message: "“x”\n".into() };
        assert_eq!(ToolError::from_json(&thrown.to_json()), Some(thrown));
        for error in [McpError::Offline, McpError::NotAllowed, McpError::Refused { message: "no".into() }] {
            let error = ToolError::Mcp(error);
            assert_eq!(ToolError::from_json(&error.to_json()), Some(error));
        }
        assert_eq!(ToolError::from_json(r#"{"error":"of another page"}"#), None);
        assert_eq!(ToolError::from_json("0.3"), None);
    }
}
