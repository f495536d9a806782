//! Tools of a conversation: what the model may call, carrying calls out, and having the answer go on behind their results.
//!
//! What an answer with tools or a format needs besides the engine is fetched when these are switched on, and when a conversation
//! that has them is opened: not while it is answered.

use std::pin::Pin;

use futures_util::future::{Either, select};
use leptos::{prelude::*, task::spawn_local};
use protocol::failure::{EngineFailure, RequestFailure};
use protocol::{Constraint, Failure, Request, Role, Tool, ToolCall};
use serde_json::json;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::super::answer::RunningCall;
use super::super::mcp::Permission;
use super::{ChatStore, ChatTurn};
use crate::history::{self, Conversation, ConversationId, JAVASCRIPT, NodeId, Options, Query};
use crate::mcp::McpError;
use crate::tools::{self, CallOutcome, ToolError};
use crate::{browser, language::t};

/// The most turns in a row that may call tools. The user may have more carried out, one by one.
const MOST_ROUNDS: usize = 8;

/// The most conversations that a search returns.
const MOST_FOUND: usize = 8;

type Prepared = Pin<Box<dyn Future<Output = Result<Constraint, Failure>>>>;
type Running = Pin<Box<dyn Future<Output = Result<String, ToolError>>>>;

/// What becomes of a call.
enum Begun {
    /// It has ended.
    Ended(Result<String, ToolError>),
    /// Other conversations are to be searched.
    Searches(Query),
    /// It takes its time.
    Runs(Running),
    /// The user is to be asked first.
    Asks,
}

#[wasm_split(later, fallible)]
fn prepared(chat: ChatStore, options: Options) -> Result<Prepared, SplitLoaderError> {
    if options.tools.iter().any(|name| name == JAVASCRIPT) {
        tools::prepare();
    }
    chat.mcp.ask_once(&options.tools);
    let constraint = chat.mcp.servers.with_untracked(|servers| tools::constraint(&options, servers));
    Ok(Box::pin(chat.prepare(constraint)))
}

#[wasm_split(later, fallible)]
fn declared(chat: ChatStore, names: Vec<String>) -> Result<Vec<Tool>, SplitLoaderError> {
    Ok(chat.mcp.servers.with_untracked(|servers| tools::declared(&names, servers)))
}

#[wasm_split(later, fallible)]
fn begin(chat: ChatStore, of: ConversationId, node: NodeId, is_asked: bool) -> Result<(), SplitLoaderError> {
    spawn_local(chat.carry_out_now(of, node, is_asked));
    Ok(())
}

impl ChatStore {
    /// Fetches what the conversation on screen needs for its tools or format, as soon as there is an engine. Called once, in the
    /// browser.
    pub fn watch_tools(self) {
        let wanted = Memo::new(move |_| {
            let options =
                self.conversation.with(|it| it.options.is_constrained().then(|| it.options.clone()));
            options.filter(|_| self.engine.device.with(Option::is_some))
        });
        let servers =
            Memo::new(move |_| self.mcp.servers.with(|all| all.iter().map(|it| it.on).collect::<Vec<_>>()));
        Effect::new(move |_| {
            servers.track();
            if let Some(options) = wanted.get() {
                // What is wrong is said where it is set, and where an answer is refused.
                spawn_local(async move { drop(self.constraint(&options).await) });
            }
        });
    }

    /// Returns what an answer may be, once it is known that it can be enforced.
    pub(super) async fn constraint(self, options: &Options) -> Result<Constraint, Failure> {
        if !options.is_constrained() {
            return Ok(Constraint::default());
        }
        match prepared(self, options.clone()).await {
            Ok(prepared) => prepared.await,
            Err(_) => Err(RequestFailure::NoConstraints.into()),
        }
    }

    /// Returns the tools of a conversation as a model reads them.
    pub(super) async fn declared_tools(self, options: &Options) -> Vec<Tool> {
        match options.tools.is_empty() {
            true => Vec::new(),
            // Without them, the count is a little lower.
            false => declared(self, options.tools.clone()).await.unwrap_or_default(),
        }
    }

    /// Fetches what a constraint needs, and checks it.
    ///
    /// # Errors
    /// Why it can't be enforced.
    pub async fn prepare(self, constraint: Constraint) -> Result<Constraint, Failure> {
        let reply = self.engine.request_with(Vec::new(), Request::PrepareConstraint(constraint.clone()));
        let outcome = reply.ok_or(EngineFailure::Stopped)?.outcome().await;
        outcome.ok_or(EngineFailure::Stopped)??;
        browser::keep_part("constraints");
        Ok(constraint)
    }

    /// Carries out the calls of an answer, and has it go on. Where the user has not asked for it, not behind too many rounds, nor
    /// where a message follows already.
    pub fn carry_out(self, of: ConversationId, node: NodeId, is_asked: bool) {
        spawn_local(async move {
            if begin(self, of, node, is_asked).await.is_err() {
                self.ui.toast(t().later_missing());
            }
        });
    }

    async fn carry_out_now(self, of: ConversationId, node: NodeId, is_asked: bool) {
        let Some(now) = self.library.at_hand(of).map(|now| now.get_untracked()) else { return };
        let Some(message) = now.shared_message(node) else { return };
        if !is_asked && (is_followed(&now, node) || rounds(&now, node) > MOST_ROUNDS) {
            return;
        }
        let mut after = node;
        for (place, call) in message.calls.iter().enumerate() {
            // One that was carried out before another waited isn't carried out again.
            if let Some(result) = result_node(&now, node, call) {
                after = result;
                continue;
            }
            let here = RunningCall { conversation: of, node, place };
            let outcome = match self.begun(call, &now.options, here) {
                Begun::Ended(outcome) => outcome,
                Begun::Searches(query) => Ok(self.found(&query, of).await),
                // The card asks.
                Begun::Asks => return self.ui.say(t().consent_title()),
                Begun::Runs(running) => {
                    let Some(ended) = self.waited(running, here).await else { return };
                    let followed = self
                        .library
                        .at_hand(of)
                        .is_some_and(|now| now.with_untracked(|now| is_followed(now, after)));
                    // The user has gone on meanwhile.
                    if followed && !is_asked {
                        return;
                    }
                    ended
                }
            };
            let (text, failed) = outcome.map_or_else(|error| (error.to_json(), true), |text| (text, false));
            let add = |conversation: &mut Conversation| {
                conversation.add_tool_result(after, call, text, failed, history::now())
            };
            let Some(added) = self.library.change(of, add).and_then(|added| self.reported(added)) else {
                return;
            };
            after = added;
        }
        self.ask_in(of, ChatTurn::After(after));
    }

    /// Begins a call: of a server's tool if the user has allowed that.
    fn begun(self, call: &ToolCall, options: &Options, here: RunningCall) -> Begun {
        if let Some((server, tool)) = untrack(|| self.mcp.named(&call.name, &options.tools)) {
            let arguments = call.arguments.clone();
            return match self.mcp.take_permission(here, &server, &tool) {
                Permission::Granted => Begun::Runs(Box::pin(async move {
                    self.mcp.call(&server, &tool, &arguments).await.map_err(ToolError::Mcp)
                })),
                Permission::Denied => Begun::Ended(Err(ToolError::Mcp(McpError::NotAllowed))),
                Permission::Undecided => Begun::Asks,
            };
        }
        match tools::run(call, options) {
            Ok(CallOutcome::Done(text)) => Begun::Ended(Ok(text)),
            Ok(CallOutcome::Search(query)) => Begun::Searches(query),
            Ok(CallOutcome::Program(code)) => {
                Begun::Runs(Box::pin(async move { tools::compute(&code).await }))
            }
            Err(error) => Begun::Ended(Err(error)),
        }
    }

    /// What comes of a call that takes its time; `None` if it was stopped: then it waits.
    async fn waited(self, running: Running, call: RunningCall) -> Option<Result<String, ToolError>> {
        let ended = match select(running, self.answer.begin_call(call)).await {
            Either::Left((ended, _)) if self.answer.call.get_untracked() == Some(call) => ended,
            _ => return None,
        };
        self.answer.stop_call();
        Some(ended)
    }

    /// What the other conversations have, as JSON.
    async fn found(self, query: &Query, apart_from: ConversationId) -> String {
        let mut found = self.library.find(query).await;
        found.retain(|it| it.id != apart_from);
        found.truncate(MOST_FOUND);
        let found = found.iter().map(|it| json!({ "title": it.title, "excerpt": it.snippet }));
        json!(found.collect::<Vec<_>>()).to_string()
    }
}

/// Whether something follows a message.
fn is_followed(conversation: &Conversation, node: NodeId) -> bool {
    conversation.node(node).is_some_and(|node| !node.children().is_empty())
}

/// The turns in a row that call tools, up to this one.
fn rounds(conversation: &Conversation, node: NodeId) -> usize {
    let path = conversation.path_to(node);
    let messages = path.iter().rev().filter_map(|&node| conversation.message(node));
    messages
        .take_while(|message| message.role != Role::User)
        .filter(|message| !message.calls.is_empty())
        .count()
}

/// The result of a call on the path behind its answer, with whether it failed; `None` if there is none yet.
#[must_use]
pub fn result_of(conversation: &Conversation, answer: NodeId, call: &ToolCall) -> Option<(String, bool)> {
    let message = conversation.message(result_node(conversation, answer, call)?)?;
    Some((message.text.clone(), message.failed))
}

/// The message that has it.
fn result_node(conversation: &Conversation, answer: NodeId, call: &ToolCall) -> Option<NodeId> {
    let path = conversation.active_path();
    let behind = path.into_iter().skip_while(|&node| node != answer).skip(1);
    let messages = behind.filter_map(|node| Some((node, conversation.message(node)?)));
    let mut results = messages.take_while(|(_, message)| message.role == Role::Tool);
    results.find(|(_, message)| message.call == call.id).map(|(node, _)| node)
}
