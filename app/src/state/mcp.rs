//! Servers of tools: which the user has added, how they are, what may be called, and calling it.
//!
//! A server is asked for its tools when it is added, when the user says so, and once in a visit if a conversation has it on. Its
//! tools are called when the user has allowed the call: this one, all in a conversation, or all. What was allowed is the tool as the
//! server described it, so another description is asked about again. Only what concerns all conversations is kept.

use std::collections::BTreeMap;
use std::pin::pin;

use futures_util::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use leptos::{prelude::*, task::spawn_local};
use protocol::failure::RequestFailure;
use protocol::{Code, Constraint, Request, Tool};
use serde_json::Value;

use super::answer::RunningCall;
use super::{EngineStore, Library};
use crate::history::ConversationId;
use crate::mcp::{self, Client, McpError, McpServer, McpTool, Relayed, Session};

/// The name under which the servers are kept.
const NAME: &str = "mcp";
/// How long a list and a call may take, in milliseconds.
const LIST_MS: u32 = 30_000;
const CALL_MS: u32 = 120_000;

/// How a server is.
#[derive(Clone, Debug, PartialEq)]
pub enum McpState {
    /// It is being asked.
    Asking,
    /// It has listed its tools.
    Connected,
    /// It can't be used.
    Failed(McpError),
}

/// Whether a call may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// It may be made.
    Granted,
    /// It may not.
    Denied,
    /// The user is to decide.
    Undecided,
}

/// What the user decides about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// To allow this call.
    AllowOnce,
    /// To allow all calls of the tool in this conversation, until the page is closed.
    AllowInConversation,
    /// To allow all calls of the tool.
    AllowAlways,
    /// Not to allow this call.
    Deny,
}

/// A decision that holds until the page is closed, with the definition of the tool that was shown.
#[derive(Clone, Debug, PartialEq)]
enum Remembered {
    AllowedOnce(RunningCall, String),
    AllowedInConversation(ConversationId, String),
    Denied(RunningCall),
}

/// The servers.
#[derive(Clone, Copy)]
pub struct McpStore {
    /// Those that the user has added.
    pub servers: RwSignal<Vec<McpServer>>,
    /// Whether they were read from the browser's store yet.
    pub known: RwSignal<bool>,
    /// How they are, by their addresses. One that isn't here wasn't asked.
    pub states: RwSignal<BTreeMap<String, McpState>>,
    decisions: RwSignal<Vec<Remembered>>,
    sessions: StoredValue<BTreeMap<String, Session>>,
    library: Library,
    engine: EngineStore,
}

impl McpStore {
    /// None, until [`Self::read`] has read what was kept.
    #[must_use]
    pub fn new(library: Library, engine: EngineStore) -> Self {
        Self {
            servers: RwSignal::new(Vec::new()),
            known: RwSignal::new(false),
            states: RwSignal::new(BTreeMap::new()),
            decisions: RwSignal::new(Vec::new()),
            sessions: StoredValue::new(BTreeMap::new()),
            library,
            engine,
        }
    }

    /// Reads what was kept.
    pub async fn read(self) {
        // What cannot be read counts as never set; the store says elsewhere that it is in trouble.
        let kept = match self.library.store() {
            Some(store) => store.setting(NAME).await.ok().flatten(),
            None => None,
        };
        let kept: Vec<McpServer> = kept.unwrap_or_default();
        if self.servers.with_untracked(|servers| *servers != kept) {
            self.servers.set(kept);
        }
        self.known.set(true);
    }

    /// Changes a server, and keeps it.
    pub fn change(self, address: &str, change: impl FnOnce(&mut McpServer)) {
        self.update(|servers| {
            if let Some(server) = servers.iter_mut().find(|server| server.address == address) {
                change(server);
            }
        });
    }

    fn update(self, change: impl FnOnce(&mut Vec<McpServer>)) {
        if self.known.get_untracked() {
            self.servers.update(change);
            self.library.keep_setting(NAME, self.servers.get_untracked());
        }
    }

    /// Adds a server, and asks it for its tools. `false` if there is one with this address.
    pub fn add(self, address: &str, name: &str, token: &str) -> bool {
        if self.server(address).is_some() {
            return false;
        }
        let name = if name.is_empty() { mcp::host_of(address) } else { name };
        self.update(|servers| {
            let taken: Vec<_> = servers.iter().map(|server| &*server.prefix).collect();
            let prefix = mcp::prefix(name, &taken);
            servers.push(McpServer {
                address: address.to_owned(),
                name: name.to_owned(),
                prefix,
                token: token.to_owned(),
                on: true,
                tools: Vec::new(),
            });
        });
        self.ask(address);
        true
    }

    /// Forgets a server, and what was allowed of it.
    pub fn remove(self, address: &str) {
        self.forget(address);
        self.states.update(|states| drop(states.remove(address)));
        self.update(|servers| servers.retain(|server| server.address != address));
    }

    fn forget(self, address: &str) {
        self.sessions.update_value(|sessions| drop(sessions.remove(address)));
        let is_its = |definition: &str| definition.starts_with(&format!("{address}\n"));
        self.decisions.update(|all| {
            all.retain(|it| match it {
                Remembered::AllowedOnce(_, of) | Remembered::AllowedInConversation(_, of) => !is_its(of),
                Remembered::Denied(_) => true,
            });
        });
    }

    /// The server of an address.
    #[must_use]
    pub fn server(self, address: &str) -> Option<McpServer> {
        self.servers.with(|all| all.iter().find(|server| server.address == address).cloned())
    }

    /// The tool that models call so, with its server, wherever it is on.
    #[must_use]
    pub fn known_as(self, alias: &str) -> Option<(McpServer, McpTool)> {
        let of = |server: &McpServer| {
            let tool = server.tools.iter().find(|tool| tool.alias == alias)?;
            Some((server.clone(), tool.clone()))
        };
        self.servers.with(|servers| servers.iter().find_map(of))
    }

    /// The tool that models call so, if it is on where these tools are.
    #[must_use]
    pub fn named(self, alias: &str, tools: &[String]) -> Option<(McpServer, McpTool)> {
        self.known_as(alias)
            .filter(|(server, tool)| server.is_among(tools) && tool.on && tool.refused.is_none())
    }

    /// Returns whether a call may be made.
    #[must_use]
    pub fn permission(self, call: RunningCall, server: &McpServer, tool: &McpTool) -> Permission {
        let definition = definition(server, tool);
        let remembers = |it: &Remembered| self.decisions.with(|all| all.contains(it));
        if remembers(&Remembered::Denied(call)) {
            Permission::Denied
        } else if tool.allowed.as_ref() == Some(&tool.definition())
            || remembers(&Remembered::AllowedOnce(call, definition.clone()))
            || remembers(&Remembered::AllowedInConversation(call.conversation, definition))
        {
            Permission::Granted
        } else {
            Permission::Undecided
        }
    }

    /// Whether calls of a tool were allowed when its server described it otherwise.
    #[must_use]
    pub fn has_changed(self, of: ConversationId, server: &McpServer, tool: &McpTool) -> bool {
        let now = definition(server, tool);
        let same_tool = format!("{}\n{}\n", server.address, tool.name);
        let otherwise = |it: &Remembered| matches!(it, Remembered::AllowedInConversation(id, then) if *id == of && *then != now && then.starts_with(&same_tool));
        tool.allowed.as_ref().is_some_and(|allowed| *allowed != tool.definition())
            || self.decisions.with(|all| all.iter().any(otherwise))
    }

    /// [`Self::permission`], for the call that is made now: a decision about it alone counts once.
    #[must_use]
    pub fn take_permission(self, call: RunningCall, server: &McpServer, tool: &McpTool) -> Permission {
        let permission = untrack(|| self.permission(call, server, tool));
        self.decisions.update(|all| {
            all.retain(
                |it| !matches!(it, Remembered::AllowedOnce(of, _) | Remembered::Denied(of) if *of == call),
            );
        });
        permission
    }

    /// Notes what the user decides about a call of a tool as it was shown.
    pub fn decide(self, decision: Decision, call: RunningCall, server: &McpServer, tool: &McpTool) {
        let decision = match decision {
            Decision::AllowAlways => {
                let (name, text) = (&tool.name, tool.definition());
                return self.change(&server.address, |server| {
                    if let Some(tool) = server.tools.iter_mut().find(|tool| tool.name == *name) {
                        tool.allowed = Some(text);
                    }
                });
            }
            Decision::AllowOnce => Remembered::AllowedOnce(call, definition(server, tool)),
            Decision::AllowInConversation => {
                Remembered::AllowedInConversation(call.conversation, definition(server, tool))
            }
            Decision::Deny => Remembered::Denied(call),
        };
        self.decisions.update(|all| all.push(decision));
    }

    /// Asks those servers for their tools that are among a conversation's and weren't asked in this visit.
    pub fn ask_once(self, tools: &[String]) {
        let is_new = |server: &&McpServer| {
            server.is_among(tools)
                && self.states.with_untracked(|states| !states.contains_key(&server.address))
        };
        let new: Vec<_> = self
            .servers
            .with_untracked(|all| all.iter().filter(is_new).map(|server| server.address.clone()).collect());
        new.iter().for_each(|address| self.ask(address));
    }

    /// Asks a server for its tools.
    pub fn ask(self, address: &str) {
        let Some(server) = untrack(|| self.server(address)) else { return };
        self.note(&server.address, McpState::Asking);
        // It may speak another version by now.
        self.sessions.update_value(|sessions| drop(sessions.remove(address)));
        spawn_local(async move {
            let state = match self.list(&server).await {
                Ok(listed) => {
                    let tools = mcp::merged(&listed, &server.prefix, &server.tools);
                    let tools = self.checked(tools).await;
                    self.change(&server.address, |it| it.tools = chosen(tools, &it.tools));
                    McpState::Connected
                }
                Err(error) => McpState::Failed(error),
            };
            // It may have been removed.
            if untrack(|| self.server(&server.address)).is_some() {
                self.note(&server.address, state);
            }
        });
    }

    fn note(self, address: &str, state: McpState) {
        self.states.update(|states| drop(states.insert(address.to_owned(), state)));
    }

    async fn list(self, server: &McpServer) -> Result<Vec<Value>, McpError> {
        let hosts = mcp::hosts().await.ok_or(McpError::Offline)?;
        let host = server.host();
        if !hosts.iter().any(|allowed| is_host(allowed, host)) {
            return Err(McpError::NotRelayed { host: host.to_owned() });
        }
        let mut client = self.client(server);
        let listed = in_time(LIST_MS, server, client.list()).await;
        self.keep(server, client.session);
        listed
    }

    /// Calls a tool, and returns the text of its result. Dropping the future ends the wait.
    ///
    /// # Errors
    /// Why there is no result.
    pub async fn call(self, server: &McpServer, tool: &McpTool, arguments: &str) -> Result<String, McpError> {
        let arguments = serde_json::from_str(arguments).unwrap_or_default();
        let mut client = self.client(server);
        let result = in_time(CALL_MS, server, client.call(&tool.name, arguments)).await;
        self.keep(server, client.session);
        mcp::text_of(&result?)
    }

    fn client(self, server: &McpServer) -> Client<Relayed> {
        let transport = Relayed { address: server.address.clone(), token: server.token.clone() };
        Client::new(transport, self.sessions.with_value(|sessions| sessions.get(&server.address).cloned()))
    }

    fn keep(self, server: &McpServer, session: Option<Session>) {
        let address = server.address.clone();
        self.sessions.update_value(|sessions| match session {
            Some(session) => drop(sessions.insert(address, session)),
            None => drop(sessions.remove(&address)),
        });
    }

    /// Notes which of the tools have a schema that can't be guaranteed. Without an engine nobody knows; then an answer says it.
    async fn checked(self, mut tools: Vec<McpTool>) -> Vec<McpTool> {
        for tool in tools.iter_mut().filter(|tool| tool.refused.is_none()) {
            let alone = Tool {
                name: tool.alias.clone(),
                description: String::new(),
                parameters: tool.parameters.clone(),
            };
            let constraint = Constraint { tools: vec![alone], ..Constraint::default() };
            let reply = self.engine.request_with(Vec::new(), Request::PrepareConstraint(constraint));
            let Some(reply) = reply else { break };
            if let Some(Err(failure)) = reply.outcome().await {
                tool.refused = match failure.code {
                    Code::Request(RequestFailure::Schema { keyword, .. }) => Some(keyword),
                    Code::Request(RequestFailure::SchemaText | RequestFailure::SchemaTooLarge) => {
                        Some(String::new())
                    }
                    _ => None,
                };
            }
        }
        tools
    }
}

/// The definition of a tool, with its server: what a decision is about.
fn definition(server: &McpServer, tool: &McpTool) -> String {
    format!("{}\n{}", server.address, tool.definition())
}

/// Tools with what the user has chosen meanwhile.
fn chosen(mut tools: Vec<McpTool>, now: &[McpTool]) -> Vec<McpTool> {
    for tool in &mut tools {
        if let Some(now) = now.iter().find(|now| now.name == tool.name) {
            tool.on = now.on;
            tool.allowed.clone_from(&now.allowed);
        }
    }
    tools
}

/// Whether a host that was allowed is this one. The usual port may be named, too.
fn is_host(allowed: &str, host: &str) -> bool {
    allowed == host || [":443", ":80"].iter().any(|port| allowed.strip_suffix(port) == Some(host))
}

/// Waits so long for what a server gives.
async fn in_time<T>(
    limit_ms: u32,
    server: &McpServer,
    given: impl Future<Output = Result<T, McpError>>,
) -> Result<T, McpError> {
    match select(pin!(given), pin!(TimeoutFuture::new(limit_ms))).await {
        Either::Left((given, _)) => given,
        Either::Right(_) => Err(McpError::Late { host: server.host().to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::NodeId;

    fn tool(description: &str) -> McpTool {
        McpTool {
            name: "get".into(),
            alias: "w__get".into(),
            description: description.into(),
            on: true,
            ..McpTool::default()
        }
    }

    fn server(address: &str, tool: McpTool) -> McpServer {
        McpServer { address: address.into(), on: true, tools: vec![tool], ..McpServer::default() }
    }

    fn call(conversation: u128, place: usize) -> RunningCall {
        RunningCall { conversation: ConversationId(conversation), node: NodeId(1), place }
    }

    fn store(servers: Vec<McpServer>) -> McpStore {
        let (chat, ..) = super::super::ChatStore::for_test();
        chat.mcp.servers.set(servers);
        chat.mcp.known.set(true);
        chat.mcp
    }

    #[test]
    fn a_call_is_asked_about_until_it_is_allowed_and_again_when_its_tool_changes() {
        let owner = Owner::new();
        owner.set();
        let (old, new) = (tool("old"), tool("new"));
        let (here, other) =
            (server("https://w.example/", old.clone()), server("https://v.example/", old.clone()));
        let mcp = store(vec![here.clone()]);
        let asked = |it: RunningCall, server: &McpServer, tool: &McpTool| mcp.permission(it, server, tool);
        assert_eq!(asked(call(1, 0), &here, &old), Permission::Undecided);

        mcp.decide(Decision::AllowOnce, call(1, 0), &here, &old);
        assert_eq!(asked(call(1, 0), &here, &old), Permission::Granted);
        for (it, server, tool) in
            [(call(1, 1), &here, &old), (call(1, 0), &here, &new), (call(1, 0), &other, &old)]
        {
            assert_eq!(asked(it, server, tool), Permission::Undecided, "{it:?}");
        }
        assert_eq!(mcp.take_permission(call(1, 0), &here, &old), Permission::Granted);
        assert_eq!(mcp.take_permission(call(1, 0), &here, &old), Permission::Undecided);

        mcp.decide(Decision::Deny, call(1, 0), &here, &old);
        assert_eq!(mcp.take_permission(call(1, 0), &here, &old), Permission::Denied);

        mcp.decide(Decision::AllowInConversation, call(1, 0), &here, &old);
        assert_eq!(asked(call(1, 7), &here, &old), Permission::Granted);
        assert_eq!(mcp.take_permission(call(1, 7), &here, &old), Permission::Granted);
        for (it, server, tool) in
            [(call(2, 0), &here, &old), (call(1, 0), &here, &new), (call(1, 0), &other, &old)]
        {
            assert_eq!(asked(it, server, tool), Permission::Undecided, "{it:?}");
        }

        mcp.decide(Decision::AllowAlways, call(1, 0), &here, &old);
        let allowed = mcp.known_as("w__get").expect("a tool").1;
        assert_eq!(asked(call(2, 0), &here, &allowed), Permission::Granted);
        let changed = McpTool { description: "new".into(), ..allowed.clone() };
        assert_eq!(asked(call(2, 0), &here, &changed), Permission::Undecided);
        assert!(mcp.has_changed(ConversationId(2), &here, &changed));
        assert!(!mcp.has_changed(ConversationId(2), &here, &allowed));
        // As it was allowed in one conversation.
        assert!(
            mcp.has_changed(ConversationId(1), &here, &new)
                && !mcp.has_changed(ConversationId(2), &here, &new)
        );
    }

    #[test]
    fn a_server_that_is_removed_takes_what_was_allowed_with_it() {
        let owner = Owner::new();
        owner.set();
        let here = server("https://w.example/", tool("old"));
        let mcp = store(vec![here.clone()]);
        mcp.decide(Decision::AllowInConversation, call(1, 0), &here, &here.tools[0]);
        mcp.remove(&here.address);
        assert!(mcp.servers.with(Vec::is_empty));
        assert_eq!(mcp.permission(call(1, 0), &here, &here.tools[0]), Permission::Undecided);
    }

    #[test]
    fn a_tool_is_found_where_it_is_on() {
        let owner = Owner::new();
        owner.set();
        let here = server("https://w.example/", tool("old"));
        let mcp = store(vec![here.clone()]);
        assert!(mcp.named("w__get", &[here.option()]).is_some());
        assert!(mcp.named("w__get", &[]).is_none());
        assert!(mcp.named("w__other", &[here.option()]).is_none());
        mcp.change(&here.address, |it| it.tools[0].on = false);
        assert!(mcp.named("w__get", &[here.option()]).is_none());
    }

    #[test]
    fn a_host_may_be_named_with_its_usual_port() {
        assert!(is_host("mcp.example.com", "mcp.example.com") && is_host("localhost:80", "localhost"));
        assert!(
            !is_host("mcp.example.com:8443", "mcp.example.com") && !is_host("example.com", "mcp.example.com")
        );
    }
}
