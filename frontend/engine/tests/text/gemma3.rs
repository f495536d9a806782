//! Tokenizer and template of Gemma 3, on files as llama.cpp's converter writes them and as Ollama's does.

use engine::gguf::{Metadata, Value as GgufValue};
use engine::template::{
    AnswerParser, Conversation, Message, Piece, RenderOptions, Role, StopStrings, Variant, render,
};
use engine::tokenizer::{Specials, StreamDecoder, Tokenizer, TokenizerError, is_base};
use engine::train::examples::{self, Content};
use serde_json::json;

use crate::models::{ids, metadata_path};

const LLAMA_CPP: &str = "tests/golden/models/tiny-gemma3.q4_k_m.gguf";
const OLLAMA: &str = "tests/golden/models/tiny-gemma3-4b.q8_0.gguf";

fn tokenizer(metadata: &Metadata) -> Tokenizer {
    Tokenizer::from_metadata(metadata).expect("a usable vocabulary")
}

#[test]
fn every_golden_case_in_both_layouts() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/outputs/tiny-gemma3/tokenizer.json");
    let golden: serde_json::Value =
        serde_json::from_slice(&std::fs::read(path).expect("golden cases")).expect("JSON");
    let cases = golden["cases"].as_array().expect("cases");
    assert!(cases.len() > 20);
    for file in [LLAMA_CPP, OLLAMA] {
        let tokenizer = tokenizer(&metadata_path(file));
        for case in cases {
            let text = case["text"].as_str().expect("a text");
            assert_eq!(tokenizer.encode(text, Specials::Parse), ids(&case["ids"]), "{text:?} with {file}");
        }
    }
}

#[test]
fn texts_come_back_and_cannot_end_turns() {
    for file in [LLAMA_CPP, OLLAMA] {
        let tokenizer = tokenizer(&metadata_path(file));
        for text in [
            "  a\n\n\tb   ",
            "<table><b>1</b></table>",
            "Grüße, 東京 🏳️‍🌈",
            "<end_of_turn><bos><unused7>",
            "▁▁x",
        ] {
            let ids = tokenizer.encode(text, Specials::Ignore);
            assert!(ids.iter().all(|&id| !tokenizer.is_special(id)), "{text:?} with {file}");
            let text = text.replace('▁', " ");
            assert_eq!(tokenizer.decode(&ids), text, "{file}");
            let mut stream = StreamDecoder::default();
            let mut pieces: String = ids.iter().filter_map(|&id| stream.push(&tokenizer, id)).collect();
            pieces.extend(stream.flush());
            assert_eq!(pieces, text, "{file}");
        }
    }
}

fn chat(json: serde_json::Value) -> String {
    let conversation: Conversation = serde_json::from_value(json).expect("a conversation");
    render(&conversation.messages, &[], &RenderOptions::new(Variant::Gemma3)).to_string()
}

#[test]
fn the_system_text_begins_the_first_turn() {
    let messages = json!({"messages": [
        {"role": "system", "content": " Be brief. "},
        {"role": "user", "content": " Hi "},
        {"role": "assistant", "content": "Hello.\n"},
        {"role": "user", "content": [{"type": "text", "text": "a "}, {"type": "text", "text": " b"}]},
    ]});
    let wanted = "<bos><start_of_turn>user\n Be brief. \n\nHi<end_of_turn>\n<start_of_turn>model\nHello.<end_of_turn>\n\
                  <start_of_turn>user\nab<end_of_turn>\n<start_of_turn>model\n";
    assert_eq!(chat(messages), wanted);
    let plain =
        json!({"messages": [{"role": "user", "content": "Name three rivers and say where they end."}]});
    let tokenizer = tokenizer(&metadata_path(LLAMA_CPP));
    // As the reference outputs have it.
    let reference =
        "<start_of_turn>user\nName three rivers and say where they end.<end_of_turn>\n<start_of_turn>model\n";
    assert_eq!(chat(plain.clone()), format!("<bos>{reference}"));
    let conversation: Conversation = serde_json::from_value(plain).expect("a conversation");
    let prompt = render(&conversation.messages, &[], &RenderOptions::new(Variant::Gemma3));
    assert_eq!(prompt.encode(&tokenizer).expect("ids"), tokenizer.encode_prompt(reference));
}

/// Files without a template that name no end of turn are of models that were not trained on chats.
#[test]
fn a_base_model_continues_text() {
    let mut metadata = metadata_path(LLAMA_CPP);
    assert!(is_base(&metadata));
    assert_eq!(Variant::from_metadata(&metadata), Variant::Base);
    assert_eq!(tokenizer(&metadata).stop_ids(), [1]);
    let messages = [Message::new(Role::User, "Once upon"), Message::new(Role::Assistant, " a time")];
    let prompt = render(&messages, &[], &RenderOptions::new(Variant::Base));
    assert_eq!(prompt.to_string(), "<bos>Once upon a time");
    // It learns what the answers say, and to end.
    let conversation = Conversation { messages: messages.to_vec(), tools: Vec::new() };
    let content = Content::Chat { conversation, media: Vec::new(), context: Vec::new() };
    let tokenizer_of = tokenizer(&metadata);
    let example = examples::encode(&content, &[], &tokenizer_of, Variant::Base, 100).expect("an example");
    let learned: Vec<u32> =
        example.labels.iter().filter(|&&label| label >= 0).map(|&label| label as u32).collect();
    assert_eq!(tokenizer_of.decode_with_specials(&learned), " a time<eos>");

    metadata.0.insert("tokenizer.ggml.eot_token_id".into(), GgufValue::Unsigned(106));
    assert_eq!(
        Variant::from_metadata(&metadata),
        Variant::Functions,
        "without a template, its tokens decide"
    );
    metadata.0.remove("tokenizer.ggml.eot_token_id");
    metadata.0.insert("tokenizer.chat_template".into(), GgufValue::String("{{ messages }}".into()));
    assert_eq!(Variant::from_metadata(&metadata), Variant::Gemma3);
    assert_eq!(tokenizer(&metadata).stop_ids(), [1, 106]);
    let example =
        examples::encode(&content, &[], &tokenizer(&metadata), Variant::Gemma3, 100).expect("an example");
    let learned: Vec<u32> =
        example.labels.iter().filter(|&&label| label >= 0).map(|&label| label as u32).collect();
    assert_eq!(tokenizer_of.decode_with_specials(&learned), "a time<end_of_turn>");
}

/// The small vocabulary has the tokens of FunctionGemma.
fn functions() -> Metadata {
    let mut metadata = metadata_path(LLAMA_CPP);
    let template = "{{ '<start_function_declaration>' }}";
    metadata.0.insert("tokenizer.chat_template".into(), GgufValue::String(template.into()));
    metadata
}

#[test]
fn function_gemma_declares_calls_and_answers_in_its_own_tokens() {
    let metadata = functions();
    assert_eq!(Variant::from_metadata(&metadata), Variant::Functions);
    let conversation: Conversation = serde_json::from_value(json!({
        "messages": [
            {"role": "user", "content": "Weather in Paris?"},
            {"role": "assistant", "reasoning": "It has none.", "tool_calls": [
                {"function": {"name": "weather", "arguments": {"days": 3, "city": "Paris", "now": true}}}
            ]},
            {"role": "tool", "content": {"weather": "sunny", "temperature": 15}},
            {"role": "assistant", "content": "Sunny."},
            {"role": "user", "content": "<escape>And then?<end_function_call>"},
        ],
        "tools": [{"function": {"name": "weather", "description": "Looks it up.", "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "description": "A city."}},
            "required": ["city"]
        }}}]
    }))
    .expect("a conversation");
    let options = RenderOptions { thinking: true, ..RenderOptions::new(Variant::Functions) };
    let prompt = render(&conversation.messages, &conversation.tools, &options);
    let wanted = "<bos><start_of_turn>developer\nYou are a model that can do function calling with the following functions\
        <start_function_declaration>declaration:weather{description:<escape>Looks it up.<escape>,parameters:{\
        properties:{city:{description:<escape>A city.<escape>,type:<escape>STRING<escape>}},\
        required:[<escape>city<escape>],type:<escape>OBJECT<escape>}}<end_function_declaration><end_of_turn>\n\
        <start_of_turn>user\nWeather in Paris?<end_of_turn>\n\
        <start_of_turn>model\n<start_function_call>call:weather{city:<escape>Paris<escape>,days:3,now:true}<end_function_call>\
        <start_function_response>response:weather{temperature:15,weather:<escape>sunny<escape>}<end_function_response>\
        Sunny.<end_of_turn>\n<start_of_turn>user\n<escape>And then?<end_function_call><end_of_turn>\n<start_of_turn>model\n";
    assert_eq!(prompt.to_string(), wanted);
    let tokenizer = tokenizer(&metadata);
    let ids = prompt.encode(&tokenizer).expect("every token has its id");
    // The two marks that the user wrote are text.
    let count = |id| ids.iter().filter(|&&other| other == id).count();
    assert_eq!((count(52), count(49)), (14, 1));
    assert_eq!(tokenizer.stop_ids(), [1, 50, 106]);

    // It learns the call, to wait for the response, and the answer.
    let content = Content::Chat { conversation, media: Vec::new(), context: Vec::new() };
    let example = examples::encode(&content, &[], &tokenizer, Variant::Functions, 500).expect("an example");
    let learned: Vec<u32> =
        example.labels.iter().filter(|&&label| label >= 0).map(|&label| label as u32).collect();
    assert_eq!(
        tokenizer.decode_with_specials(&learned),
        "<start_function_call>call:weather{city:<escape>Paris<escape>,days:3,now:true}<end_function_call>\
         <start_function_response>Sunny.<end_of_turn>"
    );
}

#[test]
fn function_gemma_s_calls_are_parsed() {
    let tokenizer = tokenizer(&functions());
    let text = "<start_function_call>call:a{x:<escape>1, {2}<escape>,l:[1,true,{k:<escape><escape>}]}<end_function_call>\
        <start_function_call>call:b{}<end_function_call>";
    let mut parser = AnswerParser::new(tokenizer.special(), false, StopStrings::default());
    let ids = tokenizer.encode(text, Specials::Parse);
    let mut pieces: Vec<Piece> = ids.iter().flat_map(|&id| parser.push(&tokenizer, id)).collect();
    parser.finish(&mut pieces);
    let calls: Vec<_> = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Call(call) => (call.name.as_str(), serde_json::Value::Object(call.arguments.clone())),
            other => panic!("no call: {other:?}"),
        })
        .collect();
    assert_eq!(calls, [("a", json!({"x": "1, {2}", "l": [1, true, {"k": ""}]})), ("b", json!({}))]);
}

#[test]
fn vocabularies_that_contradict_are_refused_by_key() {
    let with = |key: &str, value: Option<GgufValue>| {
        let mut metadata = metadata_path(LLAMA_CPP);
        match value {
            Some(value) => metadata.0.insert(key.into(), value),
            None => metadata.0.remove(key),
        };
        Tokenizer::from_metadata(&metadata).map(|_| ())
    };
    let scores = "tokenizer.ggml.scores";
    assert_eq!(with(scores, None), Err(TokenizerError::Missing { key: scores }));
    let short = with(scores, Some(GgufValue::Floats(vec![0.0; 3])));
    assert_eq!(short, Err(TokenizerError::Length { key: scores, found: 3, expected: 1408 }));
    let other = with("tokenizer.ggml.model", Some(GgufValue::String("gpt2".into())));
    assert_eq!(other, Err(TokenizerError::Kind { found: "gpt2".into() }));
}
