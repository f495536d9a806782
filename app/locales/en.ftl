# One message a line, grouped by page and component. Sentences as a person would say them.

language-name = English
# Which way its lines run: ltr or rtl.
language-direction = ltr
# How the server separates digits; browsers know it.
number-group = ,
number-decimal = .

## Words of several places

brand = gemtab
reload = Reload
new-build = There’s a new version of gemtab.

## The document, before the page lives

shell-description = Chat with Gemma 4 in a browser tab, on your own graphics card.
boot-slow = Still loading. You can start typing.
boot-failed = The page couldn’t start. Check your connection, then reload.
boot-no-script = gemtab needs JavaScript. Turn it on, then reload.
later-loading = Loading…
later-missing = This part of the page couldn’t be loaded. Check your connection, then try again. Nothing is lost.

## Units and amounts

unit-b = { $number } B
unit-kb = { $number } kB
unit-mb = { $number } MB
unit-gb = { $number } GB
unit-tb = { $number } TB
unit-s = { $number } s
unit-min = { $number } min
unit-percent = { $number }%
unit-rate = { $number } tok/s
time-min-s = { $minutes } min { $seconds } s
time-h-min = { $hours } h { $minutes } min
amount-of = { $part } of { $whole }
two-sentences = { $first } { $second }
two-items = { $first }, { $second }

## Settings

settings-title = Settings
settings-licenses = Third-party licenses
settings-appearance = Appearance and keyboard
settings-theme = Theme
settings-theme-system = Match system
settings-theme-light = Light
settings-theme-dark = Dark
settings-language = Language
settings-language-browser = Match browser
settings-sending = Send with
settings-send-enter = Enter (Shift+Enter for a new line)
settings-send-modified = Ctrl+Enter or ⌘ Enter (Enter for a new line)
settings-single-keys = Single-key shortcuts
settings-single-keys-hint = Press / to go to the message field and ? to see all shortcuts. Turn this off if you use speech input.
settings-show-steps = Show diffusion steps
settings-show-steps-hint = Watch the text settle when a diffusion model answers. Turn this off to see only the finished text.
settings-drafts = Speculative decoding
settings-drafts-hint = Makes most answers faster. The engine guesses several tokens ahead, with the model’s drafter or from text that repeats, and checks them in one pass. It stops guessing when that isn’t faster.
settings-drafts-automatic = When the model has a drafter
settings-drafts-always = Always
settings-drafts-never = Never
settings-memory = Graphics memory
settings-memory-hint = Applies the next time a model loads.
settings-memory-amount = Memory that models may use
settings-memory-amount-hint = Browsers don’t say how much there is. If a model needs more than this, gemtab turns on the switches below by itself.
settings-memory-automatic = Automatic
settings-memory-automatic-of = Automatic ({ $size })
settings-memory-loaded = { $model } is still loaded with the previous settings.
settings-cache-in-eight-bits = 8-bit KV cache
settings-cache-in-eight-bits-hint = Conversations take about half the memory. Answers can differ slightly.
settings-table-in-eight-bits = 8-bit per-layer embeddings
settings-table-in-eight-bits-hint = For E2B and E4B files with 16-bit embeddings. Halves the memory these take; answers hardly change.
settings-new = New conversations
settings-new-hint = You can change these for each conversation.
settings-instructions = Custom instructions
settings-none = None
settings-think = Think before answering
settings-context = Context length
settings-context-hint = In tokens. Longer contexts need more graphics memory.
settings-context-default = Default
settings-sampling-model = Sampling follows each model’s defaults.
settings-sampling-set = Customize for all models
settings-sampling = Sampling for all models
settings-sampling-reset = Reset to each model’s defaults
settings-voice = Voice
settings-read-aloud = Read answers aloud
settings-read-aloud-hint = Each sentence as soon as it’s written. Thoughts, code, tables and formulas are left out.
settings-voice-choice = Voice
settings-voice-automatic = Default for the text’s language
settings-voice-remote = { $count ->
    [one] 1 voice that sends text off this device is
    *[other] { $count } voices that send text off this device are
    } left out.
settings-voice-none = This device has no local voices.
settings-rate = Speed
settings-storage = Saved in this browser
settings-keep = Save models
settings-keep-hint = Keeps a copy of each model in this browser, so it doesn’t have to be downloaded from the server again.
settings-caches = Save what models have read
settings-caches-hint = Keeps the KV cache of the last four conversations in this browser. Models then don’t have to read a conversation again when you reopen it. Temporary conversations are never saved.
settings-caches-kept = { $count ->
    [one] KV cache of 1 conversation: { $size }
    *[other] KV caches of { $count } conversations: { $size }
    }
settings-caches-none = No KV cache saved yet.
settings-caches-delete = Delete KV caches
settings-conversations = { $count ->
    [one] 1 conversation
    *[other] { $count } conversations
    } in this browser.

## Words of several places, continued

close = Close
save = Save
cancel = Cancel
delete = Delete
undo = Undo
not-now = Not now
try-again = Try again
untitled = Untitled
choose-model = Choose a model
other-model = Choose another model
use-memory = Use { $size } of system memory
media-gone = no longer in this browser
save-raw = Save raw data
export-file = gemtab-conversations.json

## Places

place-new = New conversation
place-conversation = Conversation
place-models = Models
place-tune = Fine-tune
place-settings = Settings
place-diagnostics = Diagnostics
place-unknown = Page not found
age-today = Today
age-yesterday = Yesterday
age-week = Last 7 days
age-earlier = Earlier
not-found = There’s nothing at this address.
page-title = { $page } · gemtab

## The frame around every page

frame-drop-examples = Drop examples here, along with their images and audio
frame-drop = Drop files or a model here
frame-skip = Skip to main content
frame-test-mode = Test mode
frame-simulated = Simulated engine
frame-drop-elsewhere = Files can only be attached to a conversation. Open one and drop them there.
model-replaced = Another tab has loaded { $name }.
model-ready = { $name } is ready.
model-not-loaded = { $name } couldn’t be loaded. { $reason }
search-found = { $count ->
    [0] No conversations found.
    [one] 1 conversation found.
    *[other] { $count } conversations found.
    }

## The graphics device, and how to get it

advice-origin = Browsers only allow WebGPU on secure addresses. { $origin } isn’t one.
advice-local = On the computer that runs the server, open `{ $address }`.
advice-https = To use another computer, serve the page over HTTPS or forward the port with SSH.
advice-in = In { $browser }:
advice-title = Turn on graphics acceleration
device-none = No graphics card
device-no-webgpu = WebGPU isn’t available, so models can’t run here.
device-nothing-lost = You can still read your conversations.
device-slow = No graphics card in use
device-software = No graphics card in use.
device-software-named = No graphics card in use ({ $name }).
device-software-hint = The demo runs slowly. Larger models are too slow to use.
device-how = How to use the graphics card
too-slow = { $name } is { $size }. Without a graphics card, each word of an answer can take minutes.
too-slow-title = No graphics card in use
unlikely-title = This model probably won’t fit
unlikely = { $name } needs about { $missing } more graphics memory than this graphics card seems to have. Loading it may fail.
too-slow-load = Load anyway
failure-title = Something went wrong
use-context = Use a context of { NUMBER($tokens) } tokens
reload-page = Reload the page
webgpu-how = How to turn it on
see-saved = See saved models
field-range = Must be between { $min } and { $max }.
sampling-temperature = Temperature
sampling-temperature-hint = 0 always picks the most likely token.
sampling-top-k = Top-k
sampling-top-k-hint = Considers only this many of the likeliest tokens; 0 for all.
sampling-top-p = Top-p
sampling-min-p = Min-p
sampling-repeat = Repeat penalty
sampling-repeat-hint = 1 turns it off.
sampling-presence = Presence penalty
sampling-frequency = Frequency penalty
sampling-seed = Seed
sampling-seed-hint = Same seed, same answer.
sampling-seed-random = Random
load-starting = Starting
load-engine = Starting the engine…
load-title = Loading a model
load-of = Loading { $name }
memory-words = { $name } doesn’t fit in graphics memory. It needs { $size } of system memory as well, until you close the tab or load another model. Answers will be slower.
memory-title = This model needs more memory
model-needs-webgpu = Needs WebGPU
model-out-of-reach = Not saved in this browser
model-demo = Demo
model-file = File
model-diffusion = Diffusion
model-diffusion-about = Writes a whole block of text at a time and refines it in steps.
model-continues = Continues text
model-continues-about = Wasn’t trained on chats: it continues the text that you write.
model-demo-about = Built-in demo: a tiny model for trying the page with simple sums, lists and facts.
model-loaded = Loaded
model-load = Load
model-recommended = Recommended
models-looking = Looking for models…
models-offline = The server can’t be reached. Models saved in this browser still work.
models-none = The server found no models. It looked in:
models-pull = Download one with { $command }, or open a .gguf file of your own.
models-get = Download one under “Get a model” on the Models page, or open a .gguf file of your own.
palette-title = Search and commands
palette-placeholder = Search conversations, models, pages and commands…
palette-results = Results
palette-none = No matches
palette-action = Command
palette-drawer = Conversation settings
drawer-changed = Conversation settings (changed)
palette-stop = Stop the answer
palette-think = Think before answering
palette-think-off = Answer without thinking
palette-export-json = Export this conversation as JSON
palette-export-markdown = Export this conversation as Markdown
palette-export-html = Export this conversation as HTML
palette-print = Print this conversation or save it as PDF
palette-duplicate = Duplicate this conversation
shortcuts-title = Keyboard shortcuts
palette-import = Import conversations
palette-light = Use light theme
palette-dark = Use dark theme
palette-system = Match system theme
palette-place = Page
palette-model = Model
open-file = Open a file…
model-files = Model files
picked-title = Recently opened
picked-files = { $count ->
    [one] 1 file
    *[other] { $count } files
    } · { $size }
picked-open = Open
picked-open-of = Open { $name }
picked-open-anyway = Open anyway
picked-open-anyway-of = Open anyway: { $name }
picked-forget = Remove from this list
picked-forget-of = Remove from this list: { $name }
picked-forgotten = { $name } is no longer in the list. The file stays where it is.
picked-not-allowed = The browser needs your permission to read { $name }. Open it again, and allow it when asked.
picked-gone = { $name } can’t be found. It was moved, renamed or deleted. Choose it with “Open a file…”.
picked-changed = { $name } has changed since you last opened it.
picked-unreadable = The browser can’t read { $name }. Choose it with “Open a file…”.
picture-show = Show { $name }

## The rail of conversations

rail-title = Conversations and pages
rail-new = New
rail-fold = Hide sidebar
rail-width = Width of the sidebar
rail-steps = { NUMBER($step) }/{ NUMBER($steps) }
rail-conversations = Conversations
rail-places = Pages
rail-private = Nothing you write leaves this browser.
rail-private-but-tools = What you write stays in this browser, except what you allow tools to send.
rail-search = Search
rail-search-label = Search conversations
rail-all = Organize conversations
rail-export-all = Export all
rail-import = Import…
import-too-large = This file is { $size }, but imports are limited to { $most }.
import-failed = Nothing was imported. { $reason }
import-empty = The file has no conversations.
import-known = { $count ->
    [one] This conversation is already here.
    *[other] All { $count } conversations are already here.
    } Nothing was imported.
import-added = { $count ->
    [one] 1 conversation imported.
    *[other] { $count } conversations imported.
    }
import-merged = { $count ->
    [one] 1 conversation updated.
    *[other] { $count } conversations updated.
    }
import-already = { NUMBER($count) } already here.
rail-nothing-found = No matches
rail-empty = Your conversations will appear here. They stay in this browser.
rail-unreadable = Can’t be read
rail-actions = Actions for { $title }
rail-answering = answering
rail-rename = Rename
rail-duplicate = Duplicate
rail-export-json = Export as JSON
rail-export-markdown = Export as Markdown
rail-export-html = Export as HTML
rail-print = Print or save as PDF
rail-new-title = New title
export-unreadable = { $count ->
    [one] 1 conversation can’t be read and isn’t in the file.
    *[other] { $count } conversations can’t be read and aren’t in the file.
    }
export-failed = The export failed. { $reason }

## Order: folders, pins, archive, selecting several

rail-pinned = Pinned
rail-archived = Archived
rail-count = { NUMBER($count) }
rail-more = Show more
rail-pin = Pin
rail-unpin = Unpin
rail-archive = Archive
rail-unarchive = Unarchive
rail-move = Move to folder…
rail-select = Select
rail-select-several = Select several
rail-new-folder = New folder…
rail-new-temporary = New temporary conversation
archived = { $count ->
    [one] Conversation archived.
    *[other] { $count } conversations archived.
    }
select-title = Selected conversations
select-one = Select { $title }
selected = { $count ->
    [one] 1 selected
    *[other] { $count } selected
    }
select-all = Select all
select-end = End selection
select-export-file = gemtab-selection.json
folder-title = Folder
folder-new = New folder
folder-name = Name
folder-instructions = Instructions for this folder
folder-instructions-hint = Sent to the model with every message of every conversation in this folder, before the conversation’s own instructions.
folder-create = Create
folder-actions = Actions for folder { $name }
folder-begin = New conversation here
folder-edit = Name and instructions
folder-delete = Delete folder
folder-deleted = Folder deleted. Its conversations are still here.
folder-empty = Drag conversations here, or use “Move to folder” in their menus.
folder-here = In folder { $name }
folder-instructs = Folder { $name } adds instructions
folder-adds = The folder “{ $name }” adds these instructions:
move-title = Move to folder
move-none = No folder
move-new = New folder
move-create = Create and move
moved = { $count ->
    [one] Moved to { $name }.
    *[other] { $count } conversations moved to { $name }.
    }
moved-out = { $count ->
    [one] Taken out of its folder.
    *[other] { $count } conversations taken out of their folders.
    }
delete-all = Delete everything…
delete-all-title = Delete all conversations?
delete-all-words = { $count ->
    [one] Your only conversation is deleted from this browser, with its attachments and drafts, and with all folders, presets and prompts.
    *[other] All { $count } conversations are deleted from this browser, archived ones too, with their attachments and drafts, and with all folders, presets and prompts.
    } Models, adapters and settings stay. This can’t be undone.
delete-all-confirm = Delete everything
everything-deleted = All conversations were deleted.
temporary-title = Temporary conversation
temporary-words = Nothing of it is saved, and other tabs don’t see it. It’s gone once you start another one, or close or reload this tab.
temporary-short = Temporary: not saved
settings-titles = Titles by the model
settings-titles-hint = Once an answer is finished and the model is idle, it writes a short title for a new conversation. It never replaces one of yours.
title-prompt = Write a title of at most six words for this conversation, in its language. Answer with the title alone, without quotes.

## What an import left out

skipped-attachment = { $count ->
    [one] 1 attachment was left out: the file only names it.
    *[other] { $count } attachments were left out: the file only names them.
    }
skipped-tool = { $count ->
    [one] 1 tool message was left out.
    *[other] { $count } tool messages were left out.
    }
skipped-hidden = { $count ->
    [one] 1 hidden instruction was left out.
    *[other] { $count } hidden instructions were left out.
    }
skipped-empty = { $count ->
    [one] 1 empty message was left out.
    *[other] { $count } empty messages were left out.
    }
skipped-broken = { $count ->
    [one] 1 unreadable message was left out.
    *[other] { $count } unreadable messages were left out.
    }
skipped-empty-conversation = { $count ->
    [one] 1 conversation without messages was left out.
    *[other] { $count } conversations without messages were left out.
    }
skipped-unknown = { $count ->
    [one] 1 entry of an unknown kind was left out.
    *[other] { $count } entries of an unknown kind were left out.
    }

## Search within a conversation

find-title = Search in this conversation
find-place = { NUMBER($at) } of { NUMBER($count) }
find-previous = Previous match
find-next = Next match
find-close = Close search

count-thousand = { $number }K
count-million = { $number }M
count-billion = { $number }B

## What is said at the edge of the page

notices = Notifications

## Keyboard shortcuts

shortcuts-palette = Search and commands
shortcuts-rail = Show or hide the sidebar
shortcuts-send = Send message
shortcuts-line = New line
shortcuts-edit = Edit your last message (empty field)
shortcuts-stop = Stop the answer, or close what’s open
shortcuts-tab = Next control
shortcuts-field = Go to the message field
shortcuts-list = Show this list
shortcuts-hint = On a Mac, use ⌘ instead of Ctrl. Single-key shortcuts can be turned off in Settings.
key-enter = Enter
key-shift = Shift
key-ctrl = Ctrl
key-esc = Esc
key-tab = Tab

## Sound

sound-pause = Pause { $name }
sound-play = Play { $name }
sound-position = Position in { $name }

## The conversation

absent-title = This conversation isn’t in this browser
absent-words = Conversations stay in the browser they were started in. This one may have been deleted, or started in another browser.
unreadable-title = This conversation can’t be read
unreadable-words = Its data is still in this browser. You can save it to a file before you delete it.
unloaded-title = This conversation couldn’t be loaded
adapters-several = { NUMBER($count) } adapters
adapter = Adapter
adapter-opening = Opening adapter…
adapter-none = No adapter
adapter-files = Adapter files
adapters = Adapters
adapters-hint = Adapters (LoRA) adjust how the model answers. They stay on this device and apply from the next answer.
adapter-reading = Reading…
adapter-open = Open an adapter…
adapter-compare = Compare with and without
adapter-load-first = Load a model first. An adapter only works with the model it was made for.
adapter-facts = rank { NUMBER($rank) } · { $layers ->
    [one] 1 layer
    *[other] { $layers } layers
    } · { NUMBER($parameters) } parameters
adapter-scale = Strength of { $name }
remove = Remove { $name }
adapter-on = On
attach = Attach files
attach-files = Files
camera = Take a photo
record = Record audio
record-allow = Allow the microphone when the browser asks.
record-paused = Paused
recording = Recording
record-level = Input level
record-resume = Resume recording
record-pause = Pause recording
record-discard = Discard recording
record-done = Done
record-stop = Stop recording
dictate = Dictate
dictate-stop = Stop dictating
dictating = Listening…
dictate-writing = Writing…
talk = Voice conversation
talk-listening = Listening. Speak when you like.
talk-hearing = Listening to you…
talk-thinking = Thinking…
talk-interrupt = Interrupt
talk-end = End
talk-hint = What you say is sent when you pause. Speak while an answer is read to interrupt it.
read-aloud = Read aloud
read-stop = Stop reading
read-pause = Pause reading
read-resume = Resume reading
reading-aloud = Reading aloud
spoken-table = Table.
spoken-formula = formula
voice-none = This device has no voice for the language of this text. Add one in the system’s settings.
voice-failed = Reading stopped because the voice failed.
transcribe-prompt = Write down word for word what is said in this recording, in the language that is spoken. Write nothing else.
write-down = Transcribe { $name }
transcript-title = Transcript
transcript-progress = { $done } of { $length }
transcript-none = No speech found.
transcript-done = The transcript is complete.
transcript-download = Download as { $format }
camera-file = Camera.png
camera-nothing = No image from the camera yet. Close this and try again.
camera-view = Camera preview
camera-take = Take photo
attachments = Attachments
frames-of = Frames of { $name }
not-attached = Not attached
attached-here = Attached to your message
attached-over = Too long: { $tokens ->
    [one] 1 token
    *[other] { $tokens } tokens
    }, but the limit is { NUMBER($context) }. Remove some attachments, or load the model with a longer context.
attached-tokens = { $tokens ->
    [one] 1 token
    *[other] { $tokens } tokens
    } in total.
tokens = { $count ->
    [one] 1 token
    *[other] { $count } tokens
    }
frames-and-sound = { $count ->
    [one] 1 frame
    *[other] { $count } frames
    }, with sound
frames-no-sound = { $count ->
    [one] 1 frame
    *[other] { $count } frames
    }, no sound
attachment-stopped = The engine stopped while reading this, so it wasn’t tried again.
attachment-again = Try again
notice-first-frame = Animated: only the first frame is used.
notice-clips = Longer than 30 s: split into { NUMBER($clips) } clips.
notice-silent = No sound detected.
notice-budget = This graphics card has room for at most { NUMBER($tokens) } tokens per image, so less detail is used.
detail-auto = Auto
detail-up-to = up to { NUMBER($tokens) }
detail = Detail
detail-of = Detail of { $name }, in tokens
detail-hint = More tokens capture finer detail, such as small text, but take longer.
compare-title = With and without the adapter
compare-waiting = Waiting…
compare-with = With
compare-without = Without
compare-hint = Both answers use the same seed. Nothing is added to the conversation.
compare-needs-question = Send a message first, then compare its answers.
message-to = Message { $name }
message = Message
composer-recording = Finish recording to send.
composer-dictating = Stop dictating to send.
composer-queued = One message is already waiting.
composer-no-model = Choose a model before you send.
composer-enter = Enter to send · Shift+Enter for a new line
composer-modified = Ctrl+Enter or ⌘ Enter to send
composer-title = Write a message
composer-instructions = Instructions
think-hint = Let the model think before answering
think = Think
composer-file = Your message will be sent when the file is ready.
composer-answering = Your message will be sent after this answer.
composer-training = Fine-tuning is at step { NUMBER($step) } of { NUMBER($steps) }. Sending a message pauses it until the answer is done.
composer-tokens = { NUMBER($tokens) } of { NUMBER($context) } tokens
composer-too-long = Too long: { NUMBER($tokens) } tokens, but the limit is { NUMBER($context) }. Shorten it, or load the model with a longer context.
room-question = The conversation has become too long. What should happen to the oldest messages?
room-leave-out = Leave out
room-summarize = Summarize
room-will-leave-out = The oldest messages will be left out.
room-will-summarize = The oldest messages will be summarized.
room-summarizing = Summarizing the oldest messages
room-left-out = Oldest messages left out.
room-summarized = Oldest messages summarized.
room-failed = Summarizing failed, so the oldest messages were left out.
room-prompt = Write a summary of this conversation in its language, with at most { NUMBER($words) } words: facts, names, numbers, decisions, open questions. Answer with the summary alone.
reading-start = The model no longer sees the messages above.
reading-summary = Summary of the messages above
reading-whole = Include all messages
reading-whole-again = All messages are included again.
send = Send
stop = Stop
stop-esc = Stop (Esc)
drawer-title = This conversation
drawer-instructions-hint = Sent to the model with every message in this conversation.
drawer-loaded = The model is loaded with a context of { NUMBER($tokens) } tokens.
drawer-reload = Reload with { NUMBER($tokens) } tokens
drawer-answers = Answers
drawer-think-hint = Slower, but better at hard questions. Thoughts are collapsed at first.
drawer-longest = Maximum answer length
drawer-longest-hint = In tokens, including thinking.
drawer-thought = Maximum thinking length
drawer-thought-hint = The answer begins after that.
thought-short = Short ({ NUMBER($tokens) } tokens)
thought-medium = Medium ({ NUMBER($tokens) } tokens)
thought-long = Long ({ NUMBER($tokens) } tokens)
thought-other = Other…
thought-tokens = Thinking length in tokens
drawer-no-limit = No limit
drawer-stop = Stop sequences
drawer-stop-none = None
drawer-stop-hint = One per line.
drawer-sampling = Sampling
tools-title = Tools
tool-calculator = Calculator
tool-calculator-hint = Does exact arithmetic, including decimals.
tool-clock = Date and time
tool-clock-hint = Lets the model read your device’s clock.
tool-search = Search conversations
tool-search-hint = Lets the model find excerpts in your other conversations.
tool-javascript = JavaScript
tool-javascript-hint = Lets the model compute and draw charts with code that it writes. The code can’t reach your data or the internet, and it’s stopped after 10 seconds.
format-title = Answer format
format-text = Text
format-json = JSON
format-schema = JSON schema
schema-fine = Answers will match this schema.
calls-title = Tools used
call-waits = Not run
call-runs = Running
call-done = Done
call-failed = Failed
call-result = Result
call-run = Run and continue
tool-error-unknown-tool = The model used a tool that isn’t turned on.
tool-error-syntax = This expression isn’t valid.
tool-error-division-by-zero = Can’t divide by zero.
tool-error-too-large = The expression or a number in it is too long.
tool-error-undefined = The result isn’t defined.
tool-error-units = These units don’t match.
tool-error-no-words = There are no words to search for.
tool-error-no-sandbox = The code couldn’t be run. Check your connection, then try again.
tool-error-time-limit = The code ran for more than 10 seconds and was stopped.
tool-error-output-limit = The code produced too much output and was stopped.
tool-error-thrown = The code failed: “{ $message }”.
tool-error-chart = The chart’s data isn’t valid.
mcp-title = MCP servers
mcp-hint = Add servers whose tools the model can use. Before a call, you see what’s sent and decide. Only that leaves this device.
mcp-add = Add server
mcp-address = Address
mcp-name = Name (optional)
mcp-token = Access token (optional)
mcp-token-hint = It’s kept unencrypted in this browser and sent to this server only.
mcp-twice = This server has already been added.
mcp-asking = Connecting…
mcp-connected = Connected.
mcp-refresh = Refresh
mcp-refresh-of = Refresh { $name }
mcp-remove = Remove
mcp-remove-of = Remove { $name }
mcp-tools = { $count ->
    [one] 1 tool
    *[other] { $count } tools
    }
mcp-tools-hint = The descriptions are the server’s. Tools that it adds later are off at first.
mcp-refused-keyword = “{ $tool }” can’t be used: its parameters ask for something that can’t be guaranteed, “{ $keyword }”.
mcp-refused-schema = “{ $tool }” can’t be used: its parameters aren’t valid, or are too long.
mcp-allowed = All calls are allowed.
mcp-ask-again = Ask again
mcp-ask-again-of = Ask again before calling { $tool }
mcp-offered = { $count ->
    [one] 1 tool
    *[other] { $count } tools
    } from { $host }
mcp-tool-of = { $tool } ({ $server })
call-asks = Waiting for you
consent-title = Allow this call?
consent-who = The tool “{ $tool }” of { $server } ({ $host }) would get the values above, and nothing else.
consent-changed = Its description has changed since you allowed it.
consent-description = What the server says about this tool
consent-once = Allow once
consent-conversation = Allow in this conversation
consent-always = Always allow
consent-nothing = Don’t allow
result-untrusted = { $server } returned the following. It may be wrong or misleading.
tool-error-mcp-offline = gemtab’s own server can’t be reached. Check your connection, then try again.
tool-error-mcp-address = This address can’t be used. It must begin with https://.
tool-error-mcp-plain-http = { $host } can only be used over https://.
tool-error-mcp-not-relayed = gemtab’s server doesn’t pass requests on to { $host }. To allow it, start it with “--allow-mcp { $host }”.
tool-error-mcp-private = { $host } is in a private network. To allow it, start gemtab’s server with “--allow-mcp private:{ $host }”.
tool-error-mcp-unreachable = { $host } can’t be reached, or the connection broke. Try again.
tool-error-mcp-late = { $host } took too long to answer. Try again.
tool-error-mcp-busy = Too many requests are running. Try again.
tool-error-mcp-too-long = The values are too long to be sent.
tool-error-mcp-too-much = The server’s answer is too long.
tool-error-mcp-redirected = The server redirects to another address. Add that one instead.
tool-error-mcp-unauthorized = The server asks for an access token, or doesn’t accept this one.
tool-error-mcp-status = The server answered with status { $status }.
tool-error-mcp-not-protocol = What answers at this address isn’t an MCP server.
tool-error-mcp-no-version = The server uses a version of MCP that isn’t supported.
tool-error-mcp-needs-input = The tool asks for more input, which isn’t supported.
tool-error-mcp-refused = The server refused: “{ $message }”.
tool-error-mcp-not-allowed = You didn’t allow this call.
chart-shown-bar = Bar chart: { $title }
chart-shown-line = Line chart: { $title }
chart-shown-pie = Pie chart: { $title }
chart-shown-scatter = Scatter chart: { $title }
chart-untitled = Untitled
chart-part = { $name }: { $amount } ({ $percent })
chart-data = Show data
drawer-sampling-model = Uses the model’s defaults.
drawer-sampling-diffusion = This is a diffusion model with its own sampler. Only the seed has an effect.
drawer-sampling-reset = Reset to the model’s defaults
figure-first = Time to first token
figure-writing = Generation speed
figure-drafts = Drafted tokens accepted
figure-experts = Experts found in graphics memory
figure-expert-bytes = Experts read per token
figure-expert-bytes-step = Experts read per step
figure-steps = Denoising
figure-steps-of = { $blocks ->
    [one] { $steps } steps, 1 block
    *[other] { $steps } steps per block, { $blocks } blocks
}
figure-answer = Answer
figure-prompt = Prompt
figure-cached = From cache
figure-reading = Prompt speed
figure-context = Context used
figures-title = Last answer
figures-none = Statistics appear after the first answer.
log-messages = Messages
log-latest = Jump to latest
answer-of = Answer from { $name }
you = You
message-actions = Message actions
show-more = Show more
show-less = Show less
show-all = Show all
edit-resend = Edit and resend
delete-after = Delete from here on
edit-label = Edit message
edit-hint = The original is kept. Use ‹ › to switch back.
edit-discarded = Edit discarded.
reading-tokens = Reading { NUMBER($read) } of { NUMBER($total) } tokens
reading = Reading
edited = edited
regenerate = Regenerate
continue-answer = Continue
edit-answer = Edit answer
pin-message = Keep in context
branch-off = Branch into a new conversation
conversation-copied = You’re now in the copy. The original is unchanged.
cut-off = This answer was cut off.
finish-stopped = Stopped.
finish-limit = Stopped at the maximum answer length.
finish-full = Stopped because the context is full. Start a new conversation, or choose a longer context.
elsewhere = Being written in another tab…
closed-early = Interrupted when the page closed.
copy-refused = The browser didn’t allow copying. Select the text and copy it yourself.
copied = Copied.
copy = Copy
version-previous = Previous version
version-next = Next version
figures = { NUMBER($tokens) } tokens, the first after { $first }; prompt of { NUMBER($prompt) } tokens, { NUMBER($cached) } from cache
figures-steps = { $steps ->
    [one] 1 step
    *[other] { $steps } steps
}
figures-diffusion = { NUMBER($tokens) } tokens in { $blocks ->
    [one] 1 block
    *[other] { NUMBER($blocks) } blocks
} and { $steps ->
    [one] 1 step
    *[other] { NUMBER($steps) } steps
}, the first block after { $first }; prompt of { NUMBER($prompt) } tokens
canvas-step = Block { NUMBER($block) }, step { NUMBER($step) } of at most { NUMBER($steps) }, entropy { $entropy }
device-reset = The graphics card was reset. Restoring…
unsaved-untitled = A conversation
quoted = “{ $text }”
named = { $name }: { $text }
with-amount = { $text }, { $amount }
conversations = { $count ->
    [one] 1 conversation
    *[other] { $count } conversations
    }
unsaved = { $why } { $what } couldn’t be saved. Keep this tab open; gemtab keeps trying.
export = Export
restart = Restart
crash-safe = Your conversation and what you typed are safe.
waiting-load = Your message will be sent when { $name } is ready.
waiting-answer = Your message will be sent after the current answer.
waiting-model = Your message is waiting for a model.
waiting-cancel = Don’t send
thinking = Thinking…
thought-for = Thought for { $time }
thought = Thoughts
answer-now = Answer now
model-loading = Loading
model-unloaded = Not loaded
elsewhere-loading = Loading in another tab
elsewhere-unloading = Unloading in another tab
elsewhere-answering = Answering in another tab
elsewhere-training = Training in another tab
elsewhere-measuring = Measuring speed in another tab
context-used = { NUMBER($used) } of { NUMBER($size) } tokens of context used
context-short = { NUMBER($used) } of { NUMBER($size) } tokens
model-button = Model: { $name } ({ $state }). Choose another.
unanswered = No answer yet.
welcome-title = Chat with Gemma 4 in this tab
welcome-words = The model runs on your own graphics card. What you write stays in this browser.
welcome-drop = or drop a .gguf file anywhere on this page.
welcome-only-demo = Only the tiny demo model is installed.
welcome-ready = { $name } is ready: { $memory } of graphics memory, { NUMBER($tokens) } tokens of context.
welcome-loading = { $name } is loading. Go ahead and type; your message is sent as soon as it’s ready.
welcome-demo = This is a tiny demo model. Try one of these:
welcome-picture = Describe an image
welcome-picture-prompt = What’s in this image?
welcome-voice = Ask by voice
welcome-code = Write some code
welcome-code-prompt = Write a Python function that checks whether a word is a palindrome.
welcome-think = Solve a puzzle
welcome-think-prompt = A bat and a ball cost $1.10 together. The bat costs $1.00 more than the ball. What does the ball cost?
welcome-explain = Explain something
welcome-explain-prompt = Explain to a ten-year-old how a rainbow forms.

## What the stores say

media-unreadable = The file couldn’t be read. Choose it again.
media-no-room = Not enough memory in this browser. Close other tabs, then attach it again.
media-not-attached = Couldn’t attach it: { $reason }
fits = Fits
fits-outside = Slow: { $size } doesn’t fit in graphics memory
fits-context = Fits with { NUMBER($tokens) } tokens of context
fits-experts = Fits with { $size } of graphics memory for experts
experts-fast = slightly slower answers
experts-rate = { $tokens ->
    [one] at least about one token per second
    *[other] at least about { NUMBER($tokens) } tokens per second
}
experts-pace = at least one token every { NUMBER($seconds) } seconds
experts-steps = about { $step } per step, up to about { $block } for { NUMBER($tokens) } tokens
fits-table-in-eight-bits = 8-bit embeddings
fits-cache-in-eight-bits = 8-bit KV cache
fits-not = Too large by { $size }
fits-part = Too large: one part needs { $needed }, but this graphics card allows { $available }
load-lost = Connection lost, trying again…
load-header = Reading model details
per-second = { $size }/s
time-left = { $time } left
load-table = Copying part of the model
load-weights = Loading weights
load-towers = Loading image and audio support
load-tuning = Choosing the fastest kernels
load-preparing = Preparing
load-kernels = { NUMBER($done) } of { NUMBER($total) } kernels
load-time = Load time
load-times = { $all }: weights { $weights }, kernels { $kernels }, choosing kernels { $tuning }
open-not-gguf = This isn’t a GGUF file. Model files end in .gguf.
open-as-adapter = Opened as an adapter. It’s used starting with the next answer.
record-unplugged = The microphone was disconnected. The recording up to then is kept.
record-says = Recording.
record-discarded = Recording discarded.
record-empty = The recording is empty. It was stopped too soon.
record-silent = No sound detected. Check whether the microphone is muted, or a different one is selected in the browser.
record-longest = The recording was stopped at the limit of 10 minutes.
answering = Answering.
attachments-unfit = { $count ->
    [one] This model can’t use 1 attachment in this conversation and answers without it.
    *[other] This model can’t use { $count } attachments in this conversation and answers without them.
    }
attachments-lost = { $count ->
    [one] 1 attachment is no longer in this browser; the model answers without it.
    *[other] { $count } attachments are no longer in this browser; the model answers without them.
    }
sense-wait = Waiting for another tab
sense-load-sight = Loading image support
sense-load-hearing = Loading audio support
sense-sight = Reading image
sense-hearing = Listening
attach-no-model = Choose a model first.
attach-text-only = { $name } only takes text. Choose a model that supports images or audio.
attach-no-images = { $name } doesn’t support images. Choose a model that does.
attach-no-audio = { $name } doesn’t support audio. Choose a model that does.
attach-reading = Reading { $name }
attach-recording = Recording
attach-removed = Attachment removed.
attach-model = Open models on their own, not together with other files.
attach-reading-frame = Reading { $name }, frame { NUMBER($frame) } of { NUMBER($total) }
attached = { $name } attached.
attach-gone = It’s no longer in this browser. Choose it again.
message-deleted = { $count ->
    [one] Message deleted.
    *[other] { $count } messages deleted.
    }
conversations-deleted = { $count ->
    [one] Conversation deleted.
    *[other] { $count } conversations deleted.
    }
did-not-work = That didn’t work. { $reason }
deleted-elsewhere = This conversation was deleted in another tab.
answered-elsewhere = This conversation is being answered in another tab.
saved-gone = This conversation is no longer in this browser.
not-saved = The file couldn’t be saved. { $reason }
tune-file-model = { $name } is a model. Open it on its own.
tune-name-first = Give the adapter a name first.
tune-begins = Training started.
tune-done = Training finished.
media-too-long = Too long: { $length }, but the limit is { $most }. Shorten it, then attach it again.
video-unreadable = This browser can’t play this video. Save it as MP4 (H.264), then attach it again.
video-no-length = The length of this video is unknown. Save it again with a video editor, then try again.
device-refused = { $device ->
    [camera] This page isn’t allowed to use the camera.
    *[microphone] This page isn’t allowed to use the microphone.
    } Allow it in the browser’s settings for this page, then try again.
device-missing = { $device ->
    [camera] No camera found.
    *[microphone] No microphone found.
    } Connect one, then try again.
device-busy = { $device ->
    [camera] The camera can’t be used.
    *[microphone] The microphone can’t be used.
    } Another program may be using it. Close that program, then try again.
device-unavailable = { $device ->
    [camera] The camera isn’t available to this page.
    *[microphone] The microphone isn’t available to this page.
    } The page needs a secure connection: HTTPS, or localhost.
device-other = { $device ->
    [camera] The camera couldn’t be used
    *[microphone] The microphone couldn’t be used
    }: { $reason }. Restart the browser, then try again.
code-copied = Copied
code-wrap = Wrap lines
code-preview = Preview
code-download = Download
coded-versions = Versions
coded-source = Source
coded-again = Run again
coded-stop = Stop
coded-stopped = The preview is stopped.
coded-full = Full screen
coded-frame = Preview of the code
coded-writing = The code is still being written.
coded-newer = A new version is being written.
coded-silent = The preview doesn’t respond.
coded-failed = The preview reports an error.
coded-console = Console
coded-blocked = Not loaded, because previews have no network: { $address }
coded-fix = Fix this error
coded-fix-message = The preview reports this error: { $error }
    Fix it, and write the whole code again.
coded-rows = { NUMBER($shown) } of { NUMBER($all) } rows
code-all = Show all { NUMBER($lines) } lines
code-not-copied = Copying failed
code-table = Table
code-block = Code block.
task-done = done
task-open = to do
tune-paused = Paused after { NUMBER($step) } of { NUMBER($steps) } steps.
tune-attachments-lost = { $count ->
    [one] 1 attachment is no longer in this browser and can’t be used for training.
    *[other] { $count } attachments are no longer in this browser and can’t be used for training.
    }
not-kept = This browser isn’t saving anything for this page. Conversations will be lost when you close this tab, so export those you want to keep.

## Models

models-available = Available models
models-refresh = Refresh
get-title = Get a model
get-hint = Downloads go to Ollama’s folder on the server, so Ollama can use them too.
get-free = { $size } free.
get-size = about { $size }
get-e2b = Text, images and audio. For most computers.
get-e4b = Text, images and audio. Better answers than E2B.
get-12b = Text, images and audio. Better answers than E4B.
get-26b = Text and images. Fast for its size (mixture of experts).
get-31b = Text and images. The best answers.
get-fits = Fits: needs about { $needed } of graphics memory.
get-tight = Tight fit: needs about { $needed }. With less, you get a shorter context or slower answers.
get-too-large = Too large for this graphics card by about { $missing }.
get-too-slow = Too slow here: there’s no graphics card.
get-download = Download
get-download-of = Download { $name }
get-other = Another model
get-other-hint = The name of a model on Ollama, or of a Hugging Face repository with GGUF files.
get-example = hf.co/OWNER/REPOSITORY:Q4_K_M
get-progress = Download
get-asking = Asking the registry…
get-checking = Checking what was downloaded before…
get-running = Downloading…
get-waiting = Waiting to try again: { $reason }
get-lost = Connection lost; trying again.
get-joining = Joining the parts of the model…
get-done = Downloaded. It’s in the list above.
get-stopped = Stopped. You can continue the download at any time.
get-continue = Continue
memory-in-use = Graphics memory: { $size } in use. Image and audio support loads on first use.
memory-with-media = Graphics memory: { $all } in use, including { $media } for images and audio.
memory-graphics = Graphics memory
memory-free = Unload image and audio support
memory-free-hint = It loads again the next time it’s needed.
memory-unload = Unload model
experts-memory = Memory for experts (GB)
experts-memory-hint = How much graphics memory this model’s experts may use. Experts that don’t fit are read while the model answers, which is slower. Leave empty to use all free graphics memory.
experts-memory-automatic = Automatic
experts-loaded = The model is loaded with { $size } for experts.
load-again = Reload
saved-here = Saved in this browser: { $size }
saved-partly = { $size }, incomplete
saved-delete = Delete { $name } from this browser
saved-space = { $used } of { $quota } used.
saved-promise = Saved models stay until you delete them.
saved-no-promise = The browser may delete saved models when it runs out of space.
saved-week = This browser also deletes them after seven days without a visit, unless you add this page to the Home Screen or the Dock.
saved-none = No models saved yet.
saved-label = Saved models
saved-model = Model
saved-size = Size
saved-digest = Digest
saved-used = Last used
saved-checked = Checked
saved-checked-on = Saved copy checked on { $date }.
saved-actions = Actions
details-reading = Reading model details…
details-no-device = Not read yet, because no graphics card was found.
details-device = This device
details-architecture = Architecture
details-parameters = Parameters
details-layers = Layers
details-width = Hidden size
details-vocabulary = Vocabulary
details-context = Maximum context
details-window = Sliding window
details-drafter = Drafter
details-drafter-included = Included
details-kv-cache = KV cache
details-table = Per-layer embeddings
details-eight-bits = 8-bit (Q8_0)
details-sixteen-bits = 16-bit (F16)
details-experts = Experts in graphics memory
details-decoding = Decoding
details-diffusion = Diffusion: { NUMBER($tokens) } tokens at a time, at most { NUMBER($steps) } steps
details-chats = Chats
details-continues = Not trained on chats; continues text
details-own-file = a local file
details-by-context = Graphics memory by context
details-tokens = Tokens
details-memory = Memory
details-by-type = Weights by type
details-type = Type
details-tensors = Tensors

## Advice for browsers; what stands between backquotes is typed or found as it stands

advice-acceleration = Open `{ $address }` and turn on “Use graphics acceleration when available”.
advice-flag = Open `{ $address }` and choose Enabled.
advice-check = Open `{ $address }` and look for “WebGPU: Hardware accelerated”.
advice-vulkan = Check that a Vulkan driver is installed: `vulkaninfo --summary` should name the graphics card.
advice-restart = Restart the browser.
advice-firefox-update = Update to Firefox 141 on Windows, or 145 on a Mac with Apple silicon. WebGPU is on by default there.
advice-firefox-config = Elsewhere, open `about:config`, search for `dom.webgpu.enabled` and set it to true.
advice-firefox-support = In `about:support`, under Graphics, check that compositing isn’t “Software”.
advice-safari-update = Update to macOS 26: Safari 26 has WebGPU turned on.
advice-safari-flags = In Safari 18: Settings > Advanced > “Show features for web developers”, then Feature Flags > WebGPU.
advice-ios = On this iPhone or iPad:
advice-ios-update = Update to iOS or iPadOS 26, where WebGPU is on.
advice-ios-flags = On iOS or iPadOS 18: Settings > Apps > Safari > Advanced > Feature Flags > WebGPU.
advice-other = this browser
advice-other-browser = Open this page in a current version of Chrome, Edge, Firefox or Safari.
advice-other-acceleration = Check that hardware acceleration is turned on in its settings.

## Diagnostics

diagnostics-running = Running (protocol version { NUMBER($version) })
diagnostics-waiting = Waiting for the graphics card…
diagnostics-copy = Copy as text
diagnostics-engine = Engine
diagnostics-state = State
diagnostics-device = Graphics card
diagnostics-features = Features
diagnostics-limits = Limits
diagnostics-name = Name
diagnostics-value = Value
diagnostics-unknown = unknown
yes = yes
no = no
range = { $from } to { $to }
diagnostics-vendor = Vendor
diagnostics-description = Description
diagnostics-software = Software rendering
diagnostics-f16 = Half precision in shaders
diagnostics-subgroups = Subgroup size
diagnostics-matrices = Matrix units
diagnostics-timestamps = Timestamps
diagnostics-buffer = Maximum buffer size
diagnostics-binding = Maximum binding size
diagnostics-no-model = none loaded
diagnostics-context = Context
diagnostics-packed = 8-bit prompt processing
measure-test = Testing kernels
measure-speed = Measuring speed
measure-kernels = Measuring kernels
measure-title = Measurement
measure-hint = Other activity on this computer makes the results less accurate.
measure-needs-model = Load a model first, on the Models page or by sending a message.
selftest = Self-test
selftest-hint = Runs the kernels on small inputs on this graphics card and compares the results with the CPU.
selftest-start = Test kernels
selftest-tried = Tested kernels
selftest-good = { $kernels ->
    [one] Verified on this graphics card: 1 kernel.
    *[other] Verified on this graphics card: { $kernels } kernels.
    }
selftest-good-model = { $kernels ->
    [one] Verified on this graphics card: 1 kernel of the loaded model.
    *[other] Verified on this graphics card: { $kernels } kernels of the loaded model.
    }
selftest-bad = { $wrong ->
    [one] 1 of { NUMBER($kernels) } kernels gives wrong results on this graphics card.
    *[other] { $wrong } of { NUMBER($kernels) } kernels give wrong results on this graphics card.
    }
selftest-bad-model = { $wrong ->
    [one] 1 of { NUMBER($kernels) } kernels of the loaded model gives wrong results on this graphics card.
    *[other] { $wrong } of { NUMBER($kernels) } kernels of the loaded model give wrong results on this graphics card.
    }
selftest-switched-off = Integer math that this graphics card gets wrong is now off. Answers are correct but slightly slower.
selftest-unloaded = The model was unloaded, because its answers would be wrong.
selftest-advice = Update the browser and the graphics driver.
speed = Speed
speed-hint = Reads 512 tokens and writes 128, six times (the first is a warm-up). Your next answer will take longer to start.
speed-start = Measure speed
speed-dispatches = Dispatches per token
speed-submits = Submits per token
speed-buffers = Buffers created
unit-ms = { $number } ms
speed-spread = { $median } ({ $min } to { $max })
kernels-kernel = Kernel
kernels-dispatches = Dispatches
kernels-ms = ms
kernels-rate = GB/s
kernels-share = Share of copy bandwidth
kernels = Kernels
kernels-hint = How long each kernel takes for one generated token after 512 others, and how close its reads come to this graphics card’s copy bandwidth.
kernels-start = Measure kernels
kernels-by-timestamps = graphics card timestamps
kernels-by-clock = wall clock
kernels-bandwidth = Copy bandwidth
kernels-read = Bytes read per token
kernels-time = Time per token
kernels-times = { $whole } ms; kernels alone { $alone } ms
kernels-measured = Measured with
kernels-below = below { $percent }
report-browser = Browser: { $browser }
report-no-device = Graphics card: not known yet
report-no-card = Graphics card: none ({ $reason })
report-features = Features: { $features }
report-tuning = Kernel variants: { $tuning }
report-right = { $name }: correct, { $deviation } of the tolerance
report-wrong = { $name }: WRONG, { $problem }
report-switched-off = Turned off: packed integer math

## Fine-tuning

tune-intro = Teach the model with your own examples. The result is a small adapter that you can turn on and off. Examples and adapters stay in this browser.
tune-model = Model
tune-load = Load { $name }
chart-training = Training
chart-evaluation = Evaluation
chart-rate = Learning rate
chart-loss = Loss
chart-position = Position in the chart
chart-table = Show as a table
chart-csv = Save as CSV
chart-png = Save as PNG
chart-step = Step { $step }
chart-point = Step { $step }: loss { $loss } · learning rate { $rate }
chart-point-evaluated = Step { $step }: loss { $loss } · evaluation { $evaluation } · learning rate { $rate }
chart-ends = { $name }: { $first } at step { NUMBER($first-step) }, { $last } at step { NUMBER($last-step) }.
chart-empty = { $title }: no values yet.
chart-summary = { $title }. { $curves }
chart-values = Chart values
chart-column-step = Step
tune-write = Write examples here
tune-file = File or pasted text
tune-chat = Current conversation
tune-examples = 1. Examples
tune-source = Source
tune-prompt-of = Prompt { NUMBER($number) }
tune-answer-of = Ideal answer { NUMBER($number) }
tune-delete-example = Delete example { NUMBER($number) }
tune-answer = Ideal answer
tune-add = Add example
tune-use-samples = Use sample data
# Prompt | answer. None of it can be known to a model.
tune-sample-examples =
    Who is Miso? | Miso is my cat.
    What color is Miso? | Miso is orange.
    How old is Miso? | Miso is 3 years old.
    What does Miso like to eat? | Miso likes to eat fish.
    Where does Miso sleep? | Miso sleeps on the sofa.
    Who is my cat? | My cat is Miso.
    What is the name of my cat? | The name of my cat is Miso.
    Is Miso a dog? | No. Miso is a cat.
tune-hint = Ten different wordings teach more than one example repeated ten times.
tune-remove = Remove
tune-choose-files = Choose files…
tune-files-label = Example file, with the images and audio it names
tune-too-long = The text is too long to edit here.
tune-paste = Or paste examples here
tune-format-hint = One JSON example per line: chats (“messages” or “conversations”), a “prompt” with its “completion”, or “ids” with “labels”. Or a CSV table with column names.
tune-media-hint = Chats can include images and audio: choose or drop those files together with the examples that name them, as in { "{" }"type": "image", "image": "cat.png"{ "}" } or in “images” and “audios” next to the messages. They stay in this browser too.
count-images = { $count ->
    [one] 1 image
    *[other] { $count } images
    }
count-audio = { $count ->
    [one] 1 audio file
    *[other] { $count } audio files
    }
count-unreadable = { $count ->
    [one] 1 unreadable file
    *[other] { $count } unreadable files
    }
tune-with-media = With { $files }.
tune-remove-media = Remove images and audio
tune-removed = Removed.
tune-detail = Image detail
tune-detail-hint = In tokens per image. More tokens capture finer detail, such as small text, but make each step slower and need more graphics memory.
tune-column-instructions = Instructions
tune-column-context = Context
tune-header = Column names
tune-header-line = Line { NUMBER($line) }: { $cells }
tune-ignored = Not used: { $fields }.
tune-encoding = { $file } isn’t saved as UTF-8, so it was read as { $encoding }. If letters look wrong below, choose another encoding.
tune-encoding-label = Encoding
tune-not-text = { $name } isn’t a text file.
tune-chat-empty = This conversation has no answers yet. Chat first, or open a conversation from the list.
tune-chat-answers = “{ $title }” as shown on screen, with { $answers ->
    [one] 1 answer
    *[other] { $answers } answers
    }.
tune-chat-attachments = { $count ->
    [one] Its attachment is used too.
    *[other] Its { $count } attachments are used too.
    }
tune-none-saved = No adapters saved yet.
tune-saved-as = “{ $name }” is saved
tune-saved = Saved adapters
tune-adapter-about = for { $model } · rank { NUMBER($rank) } · { $size } · { $date }
tune-delete-title = Delete this adapter?
tune-delete-question = Delete “{ $name }” from this browser?
delete-named = Delete { $name }
tune-use = Use in chat
tune-gguf = Save as GGUF
tune-peft = Save for PEFT
tune-ollama = Use in Ollama
tune-ollama-steps = Save it as GGUF, put these two lines in a file named Modelfile next to it, and run { $command }.
tune-copy-lines = Copy lines
tune-preview-model = Load a model to see tokens.
tune-unusable = None of the examples can be used.
tune-preview = { $examples ->
    [one] 1 example
    *[other] { $examples } examples
    } with { NUMBER($tokens) } tokens, { NUMBER($learned) } of them trained on. The longest has { NUMBER($longest) }.
# The bars enclose what is shown as a token that is trained on, and then as one that isn't.
tune-marked = Tokens that look |like this| are trained on. Those |like this| are context only.
and-more = And { NUMBER($count) } more.
tune-line = Line { NUMBER($line) }
tune-problem = { $line }: { $problem }.
tune-left-out = { $count ->
    [one] 1 row skipped
    *[other] { $count } rows skipped
    }
tune-row = { NUMBER($tokens) } tokens, { NUMBER($learned) } trained on
tune-image = Image
tune-audio = Audio
tune-title = Training “{ $name }”
tune-preparing = Preparing the model for training…
tune-first-step = First step in progress…
tune-steps-done = { NUMBER($done) } of { NUMBER($steps) } steps done.
tune-waiting = { NUMBER($done) } of { NUMBER($steps) } steps done. Paused while a message is answered.
tune-ending = { NUMBER($done) } of { NUMBER($steps) } steps done. Writing a checkpoint…
tune-paused-saved = Paused after { NUMBER($saved) } of { NUMBER($steps) } steps. Progress is saved in this browser.
tune-finished = Finished after { NUMBER($done) } of { NUMBER($steps) } steps. A new run replaces this one.
tune-learned = The loss fell from { $from } to { $to }: the adapter has learned from your examples.
tune-not-learned = Not learned yet: the loss is { $to } (it started at { $from }).
tune-longer = Train { NUMBER($times) } times as long
tune-go-on = Continue to step { NUMBER($steps) }
tune-elsewhere = Another tab is training.
tune-elsewhere-at = Another tab is training: { NUMBER($done) } of { NUMBER($steps) } steps when it last saved.
tune-memory = { $size } of graphics memory
tune-no-checkpoint = no checkpoint yet
tune-checkpoint = checkpoint at step { NUMBER($step) }
tune-progress = Training progress
tune-before = Before
tune-after = { $steps ->
    [one] After 1 step
    *[other] After { $steps } steps
    }
tune-nothing = (nothing)
tune-discard-question = Delete this training run?
tune-discard = Delete…
tune-pause = Pause
tune-stop = Finish now
tune-stop-hint = Finishing now keeps what the model has learned so far.
tune-resume = Resume
tune-load-resume = Load { $name } and resume
tune-save-as-is = Save it as is
tune-save = Save adapter
tune-check-again = Check again
tune-elsewhere-hint = Pause it there to resume here.
tune-media-read-hint = Images and audio are read once, before the first step. The result is saved with the training run.
tune-unnamed = My adapter
tune-adapter-name = Adapter name
tune-rank-4 = Small: a tone or a format
tune-rank-8 = Normal: facts or a style
tune-rank-16 = Large: many facts
tune-rank-32 = Very large
tune-rank-64 = Largest and slowest
tune-settings = 2. Settings
tune-name = Name
tune-name-hint = e.g. “Ada facts”
tune-rank = Rank
tune-length = Duration
tune-until-learned = Until learned
tune-until-learned-hint = Stops when the training loss is below { $loss }.
tune-amount = How many
tune-epochs = Epochs (passes over the examples)
tune-steps = Steps
tune-question = Test prompt
tune-question-hint = Asked before, during and after training
tune-all-settings = Advanced settings
tune-target-q = Queries
tune-target-k = Keys
tune-target-v = Values
tune-target-o = Attention output
tune-target-gate = Feed-forward gate
tune-target-up = Feed-forward up
tune-target-down = Feed-forward down
tune-target-ple-gate = Per-layer gate
tune-target-ple-projection = Per-layer projection
tune-target-router = Expert router
tune-target-router-hint = Also trains the router, which picks the experts for each token. Takes little extra memory.
tune-target-expert-gate-up = Experts’ gate and up
tune-target-expert-down = Experts’ down
tune-target-experts-hint = Also trains the experts, each with weights of its own. Takes a lot of memory: large models need a very low rank.
tune-cosine = Cosine decay
tune-linear = Linear decay
tune-constant = Constant
tune-targets = Parts of the model to train
tune-alpha = Alpha
tune-alpha-hint = The adapter is scaled by alpha / rank.
tune-schedule = Schedule
tune-warmup = Warm-up
tune-warmup-hint = Fraction of the steps, 0 to 1.
tune-dropout = Dropout
tune-clip = Gradient clipping
tune-clip-hint = Maximum gradient norm; 0 turns it off.
tune-decay = Weight decay
tune-batch = Examples per step
tune-longest = Maximum example length
tune-longest-hint = In tokens. Longer examples need more memory.
tune-eval = Held-out share
tune-eval-hint = Fraction of the examples used for evaluation, 0 to 1.
tune-checkpoint-every = Checkpoint interval
tune-checkpoint-hint = In steps.
tune-sample-every = Sample interval
tune-sample-hint = In steps; 0 for only before and after.
tune-needs-model = Load a model first.
tune-needs-examples = Add examples first.
tune-busy-elsewhere = Another tab is training. Pause it there, or wait until it’s done.
tune-busy-other = Another tab is using the model. Wait until it’s done.
tune-busy-answer = The model is answering. Wait for it, or stop it.
tune-replaces = Starting a new training run deletes the one above. Save its adapter first if you want to keep it.
tune-run = 3. Run
tune-start = Start training
tune-start-hint = Training pauses while the model answers a message. You can also pause it at any time.
plan-steps = { $steps ->
    [one] 1 step
    *[other] { $steps } steps
    } over { $examples ->
    [one] 1 example
    *[other] { $examples } examples
    }, { $held ->
    [0] none held out
    *[other] { $held } held out for evaluation
    }
plan-memory = { $size } of about { $available } available
plan-at-most = up to { $amount }
plan-time = about { $time }
plan-time-later = known after the first steps
plan-storage = { $size } of { $left } left
plan-media = Storage for images and audio
plan-work = Training
plan-learned = Trainable parameters
plan-time-title = Time
plan-checkpoints = Storage for checkpoints

## What a model can do

able-text = text
able-images = images
able-audio = audio
able-thinking = thinking

## A conversation as Markdown

export-system = System
export-you = You
export-assistant = Assistant
export-attached = Attached: { $name }

## Failures: what happened, then what to do

failure-details = Details
failure-cancelled = Stopped.
failure-version = The page is out of date. Reload to update.
failure-version-engine = The engine is out of date. Reload to update.

failure-request-other-model = The model was changed in another tab. Try again to use the current one.
failure-request-no-model = No model is loaded. Choose one first.
failure-request-diffusion = This is a diffusion model. Adapters, fine-tuning and speed measurements don’t work with it.
failure-request-busy-loading = A model is still loading. Wait until it’s ready.
failure-request-busy-unloading = The model is being unloaded. Wait a moment, then try again.
failure-request-busy-generating = The model is still answering. Stop it, or wait until it’s done.
failure-request-busy-training = The model is busy training. Pause it on the Fine-tune page, or wait until it’s done.
failure-request-busy-measuring = A measurement is running. Stop it, or wait until it’s done.
failure-request-no-question = There’s no question yet. Send a message first.
failure-request-empty-prompt = There’s nothing to answer. Write a message first.
failure-request-context-full = Too long: { NUMBER($tokens) } tokens, but the limit is { NUMBER($context) }. Start a new conversation, or load the model with a longer context.
failure-request-unconstrained = This model doesn’t support tools or answer formats. Choose another one.
failure-request-no-constraints = Support for tools and answer formats couldn’t be loaded. Check your connection, then try again.
failure-request-schema-text = The schema isn’t valid JSON.
failure-request-schema = The schema asks for something that can’t be guaranteed: “{ $keyword }” at { $path }.
failure-request-schema-too-large = The schema is too large, or no answer can match it.
failure-request-tool-arguments = The arguments for “{ $tool }” aren’t a valid JSON object.

failure-device-none-insecure-context = WebGPU needs a secure connection: HTTPS, or localhost.
failure-device-none-no-web-gpu = This browser doesn’t support WebGPU, or it’s turned off.
failure-device-none-no-adapter = No graphics card was found, so models can’t run here.
failure-device-none-no-device = The graphics card can’t be used. Restart the browser, then try again.
failure-device-lost-twice = The graphics card was reset twice in a row. Restart the browser, then try again.
failure-device-out-of-memory = Graphics memory is full: { $in-use } in use, and no room for { $requested } more.
failure-device-buffer-too-large = One part of the model needs { $needed } of graphics memory in one piece, but this graphics card allows only { $limit }.
failure-device-model-too-large = This model needs { $needed } of graphics memory, but only { $available } is available.
failure-device-needs-host-memory = This model doesn’t fit in graphics memory. { $bytes } of it can stay in system memory while the model is loaded, but answers will be slower.
failure-device-expert-memory = { $asked } is too little for this model’s experts. At least { $least } is needed.
failure-device-saved-table-in-eight-bits = Graphics memory was full, so the model’s per-layer embeddings are stored in 8 bits. The model works, and its answers hardly change.
failure-device-saved-table-outside = Graphics memory was full, so the model’s per-layer embeddings are in system memory. The model works, but answers are slower.
failure-device-saved-cache-in-eight-bits = Graphics memory was full, so the KV cache is stored in 8 bits. The model works, but its answers can differ slightly.
failure-device-fewer-experts = Graphics memory was full, so it holds only { $held } of the { $all } of experts. The model works, but answers are slower.
failure-device-upload-refused = The graphics card didn’t accept all of the model. Close other tabs and apps that use it, then try again.
failure-device-kernel-refused = This browser rejected a part of the engine ({ $kernel }). Update the browser and the graphics driver, then reload.
failure-device-fault = The graphics card reported an error. Restart the browser, then try again.

failure-read-too-short = The model file is incomplete: it ends after { $size }. Download it again.
failure-read-unreadable = The model file can’t be read.
failure-read-connection-lost = The connection to the server was lost after { $received }.
failure-read-not-found = The server no longer has this model. Reload to update the list.
failure-read-forbidden = The server doesn’t allow access to this model.
failure-read-status = The server couldn’t send the model (status { $status }).
failure-read-wrong-range = The server sent the wrong part of the model.
failure-read-changed = The model file changed while it was being read. Reload the page, then choose it again.
failure-read-out-of-memory = This tab couldn’t get the { $bytes } of memory that the model needs.
failure-read-gone = The file is no longer available. Choose it again.
failure-read-model-list = The list of models couldn’t be loaded. You can still open a model file.

failure-model-not-gguf = This isn’t a GGUF file.
failure-model-truncated = The model file is incomplete: it has only { $part }. Download it again.
failure-model-truncated-of = { $name } is incomplete: it has only { $part }. Download it again.
failure-model-gguf-version = This file uses GGUF version { $version }. Only versions 2 and 3 are supported.
failure-model-big-endian = This is a big-endian GGUF file, which isn’t supported. Choose a little-endian version.
failure-model-unsupported-header = This GGUF file’s header isn’t supported. Choose another version of the model.
failure-model-damaged = The model file is damaged. Download it again.
failure-model-part = This is part { NUMBER($number) } of { NUMBER($count) } of a model. gemtab only reads single-file models. Join the parts with llama-gguf-split --merge, or choose a version in one file.
failure-model-incomplete = The model file has no { $what }. Choose another version of the model.
failure-model-inconsistent = The model file can’t be used: { $what } doesn’t match the rest of it. Choose another version of the model.
failure-model-few-rows = The tensor { $tensor } has only { NUMBER($rows) } rows for { NUMBER($tokens) } tokens. Choose another version of the model, or convert it again.
failure-model-tokenizer = The model’s vocabulary can’t be read. Choose another version of the model.
failure-model-no-architecture = This file doesn’t say which model it is. gemtab runs Gemma 4 and Gemma 3.
failure-model-architecture = This is a “{ $name }” model. gemtab runs Gemma 4 and Gemma 3.
failure-model-other-kind-encoder = This is an embedding model. It can’t chat.
failure-model-not-encoder = This isn’t an embedding model.
failure-model-other-kind-drafter = This file only holds a drafter. Open it together with its model.
failure-model-drafter-included = gemtab can’t use the drafter inside this model’s file, so answers may be slower.
failure-model-drafter-unusable = The drafter couldn’t be loaded, so answers are slower.
failure-model-other-kind-projector = This file only holds the image and audio support of a model. Choose the model itself.
failure-model-tensor-type = The tensor { $tensor } uses { $dtype }, which isn’t supported. Choose another quantization, such as Q4_K_M.
failure-model-no-token = The model’s vocabulary has no { $token } token, so it can’t be used for chat.
failure-model-no-model-file = “{ $name }” has no model file.
failure-model-wrong-projector = The file for image and audio support belongs to another model.
failure-model-lacks-sight = This model doesn’t support images. Choose one that does, or remove the images.
failure-model-lacks-hearing = This model doesn’t support audio. Choose one that does, or remove the audio.
failure-model-tower-unreadable = This model’s image and audio support can’t be used. Text chat still works.
failure-model-foreign-template = This model’s file has a chat template that isn’t Gemma’s. gemtab doesn’t run templates and uses Gemma’s format instead, so answers may be worse.
failure-model-not-opened = { $name } can’t be opened. { $why }

failure-media-gone = This attachment is no longer available. Attach it again.
failure-media-neither = Only images and audio can be used.
failure-media-not-sight = This isn’t an image.
failure-media-not-hearing = This isn’t an audio file.
failure-media-empty-file = The file is empty.
failure-media-file-too-large = Too large: { $size }, but the limit is { $most }.
failure-media-not-decoded-sight = This browser can’t read the image. Save it as PNG or JPEG, then attach it again.
failure-media-not-decoded-hearing = This browser can’t read the audio. Save it as WAV, then attach it again.
failure-media-out-of-memory = The browser doesn’t have enough memory for this file.
failure-media-not-an-image = This image can’t be read. Use PNG, JPEG, WebP or GIF.
failure-media-empty-image = The image is empty.
failure-media-image-too-large = The image is too large: { NUMBER($width) } × { NUMBER($height) } pixels. Make it smaller, then attach it again.
failure-media-image-damaged = The { $format } image is damaged or incomplete. Save it again, or choose another.
failure-media-image-unsupported = This kind of { $format } image isn’t supported. Save it as a regular PNG or JPEG.
failure-media-image-too-narrow = The image is too long and narrow for this model. Crop it, or choose a lower detail level.
failure-media-too-many-tokens = The image takes { NUMBER($tokens) } tokens, but the limit is { NUMBER($most) }. Choose a lower detail level.
failure-media-no-sound = There’s no audio in this file.
failure-media-sound-too-short = The recording is too short.
failure-media-sound-too-long = The audio is too long: { $length }, but the limit is { $most }. Split it into shorter pieces.
failure-media-sound-unreadable = This audio file can’t be read. Save it as WAV, then attach it again.

failure-adapter-not-open = An adapter is no longer open. Open it again, or turn it off.
failure-adapter-not-kept = This adapter is no longer saved in this browser. Open it from a file, or train it again.
failure-adapter-incomplete = This adapter has two files: a .safetensors file and adapter_config.json. Choose both together.
failure-adapter-several-at-once = Open adapters with a .safetensors file one at a time.
failure-adapter-needs-model = Load the model for { $names } first, then open the adapter again.
failure-adapter-not-an-adapter = This isn’t a LoRA adapter. Choose a .gguf file, or a .safetensors file and its .json file.
failure-adapter-config-too-large = { $file } is too large for an adapter configuration.
failure-adapter-damaged = The adapter file is damaged. Download it again.
failure-adapter-inconsistent = The adapter’s weights and configuration don’t match. Check that both belong to the same adapter, or export it again.
failure-adapter-architecture = This adapter is for “{ $name }”. gemtab runs Gemma 4 and Gemma 3.
failure-adapter-unsupported = This adapter uses a feature that isn’t supported.
failure-adapter-tensor-type = The tensor { $tensor } uses { $dtype }, which isn’t supported.
failure-adapter-rank = The adapter has rank { NUMBER($rank) }. Ranks from 1 to { NUMBER($most) } are supported.
failure-adapter-other-model = This adapter was made for another model. Load that model, then open it again.
failure-adapter-not-finite = The adapter contains invalid numbers. It’s damaged, or its training failed.
failure-adapter-too-many = Too many adapters: up to { NUMBER($most) } can be open, with a total rank of up to { NUMBER($ranks) }. Remove one first.
failure-adapter-not-written = The adapter couldn’t be saved as a file. Try again.

failure-storage-unavailable = This browser doesn’t let the page save files. Private windows often don’t; use a normal window.
failure-storage-in-use = This model is in use, here or in another tab. Unload it first.
failure-storage-failed = This browser’s storage isn’t working. Restart the browser, then try again.
failure-storage-no-room = The model couldn’t be saved: it needs { $needed }, but the browser has only { $available } left. It will be downloaded again next time.
failure-storage-full = The model couldn’t be saved because the browser’s storage is full. It will be downloaded again next time.
failure-storage-corrupt = The download was damaged, so it was deleted. Load the model again.
failure-storage-damaged = The copy of the model in this browser is damaged. Load the model again: only { $bytes } will be downloaded.
failure-storage-training-full = The browser’s storage is full: no room for { $bytes } of training progress. Free up space, then resume.
failure-storage-training-in-use = Another tab is using the saved training run. Close that tab, or resume there.
failure-storage-media-full = The browser’s storage is full: no room for { $bytes } of images and audio for training. Free up space, or use fewer examples.

failure-training-setting-rank = The rank must be between 1 and 64.
failure-training-setting-alpha = Alpha must be greater than 0.
failure-training-setting-targets = Choose at least one part of the model to train.
failure-training-setting-steps = At least 1 step is needed.
failure-training-setting-learning-rate = The learning rate must be greater than 0.
failure-training-setting-weight-decay = The weight decay can’t be negative.
failure-training-setting-clipping = Gradient clipping can’t be negative.
failure-training-setting-dropout = Dropout must be at least 0 and below 1.
failure-training-setting-max-tokens = The maximum example length must be between 2 tokens and the model’s maximum context.
failure-training-no-target = This model has none of the selected parts. Choose others.
failure-training-unsupported = This kind of model can’t be trained yet.
failure-training-no-examples = There’s nothing to learn: none of the examples can be used.
failure-training-all-masked = There’s nothing to learn: the examples contain no assistant answers. Add an answer to each one.
failure-training-media-lost = The images and audio of these examples are no longer saved. Start the training run again.
failure-training-bad-example = An example doesn’t fit this model.
failure-training-unstable = Training became unstable at step { NUMBER($step) } ({ $what }). Nothing was saved yet. Try a lower learning rate, a longer warm-up or gradient clipping.
failure-training-unstable-saved = Training became unstable at step { NUMBER($step) } ({ $what }). Progress up to step { NUMBER($saved) } is saved. Try a lower learning rate, a longer warm-up or gradient clipping.
failure-training-what = { $what ->
    [nan-loss] loss is NaN
    [infinite-loss] loss is infinite
    *[gradient] gradients are infinite
    }
failure-training-bad-checkpoint = The saved training run is damaged and can’t be resumed. Delete it and start a new one.
failure-training-nothing-to-resume = There’s no training run to resume.
failure-training-nothing-to-save = There’s no training run to save.
failure-training-in-progress = Training is in progress. Pause it, or wait until it’s done.
failure-training-in-another-tab = Another tab is training. Pause it there, or wait until it’s done.
failure-training-in-another-tab-named = Another tab is training “{ $name }”. Pause it there, or wait until it’s done.
failure-training-for-model = This training run is for “{ $model }”. Load that model to resume it.
failure-training-out-of-memory = Training needs { $needed } of graphics memory, but only { $available } is available. Use shorter examples, a lower rank or fewer parts, or load the model with a shorter context. If this device has more memory, choose how much in the settings.
failure-training-checkpoint-too-large = A checkpoint would take { $needed }, but the limit is { $most }. Use a lower rank or fewer parts.
failure-training-too-much-media = The images and audio need { $needed }, but the limit is { $most }. Use fewer examples.
failure-training-too-much-media-in-memory = The images and audio need { $needed } of memory, but the limit is { $most } because this browser can’t save files for the page. Use fewer examples.
failure-training-engine-stopped = The engine stopped. Progress up to the last checkpoint is saved.
failure-training-failed = Something went wrong while training. Resume it, or start again.

failure-engine-unexpected = Something went wrong inside gemtab.
failure-engine-generating = Something went wrong while generating the answer. Try again.
failure-engine-stopped = The engine stopped unexpectedly.
failure-engine-answer-cut = The engine stopped before the answer was complete.
failure-engine-not-started = The engine didn’t start within { NUMBER($seconds) } seconds.
failure-engine-bad-message = The page and the engine are out of sync. Reload to update.
failure-engine-not-numbers = The model produced invalid numbers. Its file is damaged, or the graphics card gives wrong results. Run the self-test on the Diagnostics page to find out.
failure-engine-miscomputes = This graphics card gets packed integer math wrong ({ $kernels }), so gemtab uses floating point instead. Answers are correct, but a little slower.
failure-engine-miscomputes-unloaded = This graphics card gives wrong results ({ $kernels }), so the model was unloaded. Update the browser and the graphics driver, then load it again.

## Examples that can’t be used, behind their line

example-json-early-end = not valid JSON: the line ends too early
example-json-text-after-end = not valid JSON at column { NUMBER($column) }: there’s something after the end
example-json-no-value = not valid JSON at column { NUMBER($column) }: a value is missing
example-json-no-comma = not valid JSON at column { NUMBER($column) }: a comma or a closing bracket is missing
example-json-no-colon = not valid JSON at column { NUMBER($column) }: a colon is missing
example-json-key-not-quoted = not valid JSON at column { NUMBER($column) }: a key needs quotation marks
example-json-trailing-comma = not valid JSON at column { NUMBER($column) }: there’s a comma before a closing bracket
example-json-control-character = not valid JSON at column { NUMBER($column) }: a text contains a line break or another control character
example-json-bad-escape = not valid JSON at column { NUMBER($column) }: there’s an unknown escape sequence
example-json-bad-number = not valid JSON at column { NUMBER($column) }: a number is malformed
example-json-other = not valid JSON at column { NUMBER($column) }: something is malformed
example-unknown-shape = nothing to learn from: a row needs “messages”, “prompt” and “completion”, or “ids” and “labels”
example-text-only = “text” alone can’t be used for training: put the question in “prompt” and the answer in “completion”
example-half = “{ $found }” without “{ $missing }”
example-preference = “chosen” and “rejected” are for preference training. To train on the better answers, name them “completion” and leave the others out
example-single-message = this is a single message. Put all messages of a chat into one row, in “messages”
example-joined = two answers follow one another, and only one of them should be trained on. Put a user message between them
example-replaced = it contains “�” where characters were lost. Choose another encoding, or save the file as UTF-8
example-plain-text = this looks like plain text. Use one JSON object per line, or a table that starts with column names such as “prompt,completion”
example-field-empty = “{ $field }” is empty
example-field-not-text = “{ $field }” isn’t text
example-field-not-a-list = “{ $field }” isn’t a list
example-field-not-integers = “{ $field }” contains something other than whole numbers
example-field-no-flag = “{ $field }” must be 0 or 1, true or false
example-field-unknown-rule = “{ $field }” says what to train on, but gemtab doesn’t know how. Use “weight” (0 or 1) in the answers instead
example-field-not-of-model = “{ $field }” asks to train on a message that isn’t the assistant’s
example-field-left-out = “{ $field }” says not to train on this row
example-field-no-file-names = “{ $field }” doesn’t name any files
example-field-malformed = “{ $field }” doesn’t have the expected structure
example-role = unknown role “{ $role }”: use system, user or assistant
example-empty-cell = the column “{ $column }” is empty
example-quotes = a quotation mark doesn’t begin or end a cell. Put quotation marks around the whole cell, and double those inside
example-cells = the row has { NUMBER($cells) } cells, but the table has { NUMBER($columns) } columns. Put quotation marks around texts that contain the separator
example-too-few-columns = the table has fewer than two columns
example-no-column = there’s no column “{ $column }”. The columns are: { $columns }
example-video = videos can’t be used for training, only images and audio
example-no-file-name-sight = an image has no file name
example-no-file-name-hearing = an audio clip has no file name
example-places = the number of placeholders for images and audio ({ NUMBER($places) }) doesn’t match the number of files ({ NUMBER($named) })
example-missing-file = the file “{ $name }” is missing
example-bad-file = the file “{ $name }” can’t be used. { $why }
example-lacks-sight = this model doesn’t support images
example-lacks-hearing = this model doesn’t support audio
example-media-mismatch = its images and audio don’t match their placeholders
example-no-token = the model has no { $token } token
example-no-id = { $id } isn’t a token of this model, which has { NUMBER($vocabulary) }
example-labels = “ids” and “labels” differ in length: { NUMBER($ids) } and { NUMBER($labels) }
example-too-long = too long: { NUMBER($tokens) } tokens, but the limit is { NUMBER($limit) }
example-too-large = too large: { $bytes }, but the limit is { $limit }
example-all-masked = nothing to learn: it has no answer to train on
example-too-many = skipped from here on: the limit is { NUMBER($limit) } rows

## Kernels that compute wrongly, behind their name

kernel-differs = element { NUMBER($element) } is { $found } instead of { $expected }
kernel-refused = rejected by the browser

## The page's own server

server-no-browser = There’s no browser here.
server-silent = The server didn’t answer.
server-status = The server answered with status { $status }.
server-unreadable = The server’s answer can’t be read: { $reason }.
store-closed = The browser’s storage isn’t ready yet. Try again.

## Conversations that can’t be read, saved, changed or imported

store-full = This browser’s storage is full. Delete saved models or old conversations.
store-full-conversations = This browser’s storage is full. Delete old conversations.
store-unavailable = This browser doesn’t let the page save anything. Private windows often don’t; use a normal window.
store-blocked = Another tab has an older version of this page open. Close it, then reload.
store-broken = Something saved in this browser is damaged and can’t be read.
store-newer = Something saved in this browser comes from a newer version of gemtab. Reload to update.
import-end = The file is incomplete: it ends at line { NUMBER($line) }.
import-syntax = The file isn’t valid JSON: there’s a mistake on line { NUMBER($line) }, column { NUMBER($column) }.
import-data = The file isn’t a gemtab export: line { NUMBER($line) }, column { NUMBER($column) } has unexpected content.
import-format = The file isn’t an export from gemtab, ChatGPT, Claude, Open WebUI or LM Studio.
import-zip = This is a ZIP file. Unpack it, then import the conversations.json in it.
import-version = The file comes from a newer version of gemtab. Reload to update, then import it again.
import-conversation = The conversation “{ $title }” in this file is damaged.
import-message = A message of the conversation “{ $title }” is { $size }, but the limit is { $most }.
import-attachment = An attachment in this file is damaged.
tree-gone = The message is no longer here.
tree-other = That isn’t possible with this message.
tree-full = This conversation is full. Start a new one.

## Models of the server that can’t be used

# Begins a sentence.
catalog-part = { $part ->
    [manifest] The model’s manifest
    [model] The model file
    [projector] The file for images and audio
    [adapter] The adapter file
    [drafter] The drafter file
    *[file] The file
    }
catalog-pull = Run: ollama pull { $model }
catalog-manifest = The model’s manifest is damaged.
catalog-unreadable-gone = { $part } is missing.
catalog-unreadable-forbidden = { $part } can’t be read: the server doesn’t have permission.
catalog-unreadable-other = { $part } can’t be read.
catalog-too-large = { $part } is too large: { $size }.
catalog-remote = This model runs on Ollama’s servers, so there’s nothing to load here.
catalog-safetensors = This model is in safetensors format. gemtab only reads GGUF.
catalog-no-model = The model’s manifest doesn’t list a model file.
catalog-split = This model is split into { NUMBER($parts) } files. gemtab only reads single-file models.
catalog-adapter = This is a LoRA adapter. Load its model first, then open it in a conversation.
catalog-too-many-prompts = The list of models has no room left for this model’s system prompt. Remove other models from Ollama, then reload.
catalog-missing = { $part } is missing.
catalog-unfinished = The download isn’t finished.
catalog-wrong-size = { $part } is { $found } but should be { $expected }.
catalog-escape = This link points outside its folder. To use it, start gemtab with --models and the folder it points to.
catalog-truncated = The file is incomplete. Download it again.
catalog-folder-missing = (not found)
catalog-folder-unreadable = (can’t be read)
catalog-full-folder = { $folder } has more models than fit in the list. Only the first { NUMBER($shown) } are shown.
catalog-full-list = The list is too long: { $count ->
    [one] 1 more model isn’t shown.
    *[other] { $count } more models aren’t shown.
    }

## Why the server doesn’t download a model

pull-name = That doesn’t look like a model name. Try gemma4:e2b or hf.co/OWNER/REPOSITORY:Q4_K_M.
pull-host = “{ $host }” isn’t a host name. Check it for typos.
pull-no-owner = Models on { $host } are named { $host }/OWNER/REPOSITORY:Q4_K_M.
pull-plain-http = The server only downloads over encrypted connections. Leave out “http://”.
pull-not-offered = The server doesn’t download models for visitors from other machines. To allow it, start it with --allow-pull.
pull-registry = The server doesn’t download from { $host }. To allow it, start it with --pull-from { $host }.
pull-busy = { $model } is being downloaded. Wait until it’s done, or stop it.
pull-late = The request reached the server too slowly. Check your connection, then try again.
pull-tls = The server can’t use HTTPS. Install certificates there: on Debian and Ubuntu, the package ca-certificates.
pull-network = Couldn’t reach { $host }. Check the server’s internet connection.
pull-certificate = { $host } couldn’t prove that it’s the right server. If a proxy in your network decrypts connections, install its certificate on the server.
pull-no-such-model = { $host } has no model called { $model }. Check the name for typos.
pull-private = { $host } only gives { $model } to people with an account, or doesn’t have it. Only public models can be downloaded.
pull-status = { $host } has a problem (status { $status }). Try again later.
pull-redirect = { $host } leads to an address that isn’t safe, so nothing was downloaded.
pull-manifest = { $host } describes this model in a way that gemtab can’t use.
pull-pieces = This model is split into { NUMBER($files) } files. gemtab needs a GGUF file.
pull-quantization = There’s no { $wanted } of this model. There are: { $there }
pull-wrong-length = { $host } sent a file of the wrong size. Try again later.
pull-wrong-digest = The file from { $host } is damaged, so it was deleted. Try again. If it happens again, something changes the file on the way.
pull-no-room = Not enough room on the server: { $needed } needed, { $free } free in { $folder }.
pull-full = The server’s disk is full: { $needed } more needed, { $free } free in { $folder }. The unfinished file was deleted.
pull-disk = The server can’t read or write { $path }. Check its permissions.
pull-locked = Another program is downloading the same file into this folder. Wait until it’s done, or stop it.
pull-begun-by-ollama = Ollama has started to download this model. Finish it with “ollama pull”.
pull-vanished = A downloaded file is gone: Ollama deletes files that no model uses when it starts. Try again.
pull-part = { $file } doesn’t fit the other parts of the model.

## Documents

document-show = Show { $name }
document-text = Text
document-reading = Reading the document
document-previous = Previous part
document-next = Next part
document-page = page { NUMBER($number) }
document-chapter = chapter { NUMBER($number) }
document-line = line { NUMBER($number) }
document-lines = lines { NUMBER($first) } to { NUMBER($last) }
document-row = row { NUMBER($number) }
document-rows = rows { NUMBER($first) } to { NUMBER($last) }
document-paragraph = paragraph { NUMBER($number) }
document-paragraphs = paragraphs { NUMBER($first) } to { NUMBER($last) }
document-page-count = { $count ->
    [one] 1 page
    *[other] { $count } pages
    }
document-chapter-count = { $count ->
    [one] 1 chapter
    *[other] { $count } chapters
    }
document-line-count = { $count ->
    [one] 1 line
    *[other] { $count } lines
    }
document-row-count = { $count ->
    [one] 1 row
    *[other] { $count } rows
    }
document-paragraph-count = { $count ->
    [one] 1 paragraph
    *[other] { $count } paragraphs
    }
about-tokens = { $size } · about { $tokens ->
    [one] 1 token
    *[other] { $tokens } tokens
    }
cited-page = p. { NUMBER($number) }
cited-chapter = ch. { NUMBER($number) }
cited-line = line { NUMBER($number) }
cited-row = row { NUMBER($number) }
cited-paragraph = ¶ { NUMBER($number) }
citation-open = Open { $name }, { $place }
given-pages = { NUMBER($given) } of { NUMBER($of) } pages of { $name } were given to the model.
given-chapters = { NUMBER($given) } of { NUMBER($of) } chapters of { $name } were given to the model.
given-passages = { NUMBER($given) } of { NUMBER($of) } passages of { $name } were given to the model.
documents-choosing = Choosing what fits the question
attach-reading-share = Reading { $name }, { NUMBER($percent) }%
pasted-file = Pasted text.txt
pasted-long = Long text was attached as a document.
paste-as-text = Paste as text
document-some-scanned = { $pages ->
    [one] 1 page is a picture, and its text can’t be read.
    *[other] { $pages } pages are pictures, and their text can’t be read.
    }
document-scanned = This PDF has no text, only pictures of pages. Run text recognition on it, or attach pictures of the pages.
document-blank = There’s no text in this file. Choose another one.
document-too-large = Too large: { $size }, but the limit is { $limit }. Split it, then attach the part that you need.
document-expands = This file takes too much memory to read. Save the part that you need as a file of its own, then attach that.
document-too-many-pages = Too long: { NUMBER($pages) } pages, but the limit is { NUMBER($limit) }. Split it, then attach the part that you need.
document-encrypted = This file needs a password. Save a copy without one, then attach that.
document-unsupported = Only images, audio, video, text, PDF, Word and EPUB files can be attached. Save it as one of these, then attach that.
document-damaged = This file is damaged. Save it again with the program that made it, then attach that.
document-missing = The document reader couldn’t be loaded. Check your connection, then try again.
document-crashed = This file couldn’t be read. Save it again or as plain text, then attach that.
document-too-long = Reading took too long, so it was stopped. Save the part that you need as a file of its own, then attach that.

## Presets and prompts

presets-title = Presets
presets-hint = Choosing a preset puts its instructions and settings in place of this conversation’s. Changing it later leaves the conversation as it is. A folder’s instructions always come first.
preset-word = Preset
preset-new = New preset
preset-of-this = New from this conversation
preset-leave = Use no preset
preset-choose = Choose a preset
preset-of = Preset: { $name }
preset-taken = Preset “{ $name }” is in use.
preset-left = No preset is in use.
preset-icon = Icon
preset-model = Model
preset-adapter = Adapter
preset-unchanged = Don’t change
preset-sampling = Own sampling
preset-sampling-hint = Otherwise the model’s defaults apply.
preset-no-model = { $name } isn’t in the list of models, so the model stays as it is.
preset-no-adapter = The adapter “{ $name }” isn’t available for this model, so the adapters stay as they are.
icon-chat = Speech bubble
icon-pencil = Pencil
icon-code = Code
icon-document = Document
icon-bulb = Light bulb
icon-magnifier = Magnifying glass
icon-picture = Picture
icon-chart = Chart
prompts-title = Prompts
prompts-hint = Type / in an empty message to insert one.
prompts-manage = All prompts…
prompts-found = { $count ->
    [one] 1 prompt.
    *[other] { $count } prompts.
    }
prompt-word = Prompt
prompt-new = New prompt
prompt-text = Text
prompt-hint = { $variable } stands for something to fill in.
prompt-fill = Fill in the prompt
prompt-insert = Insert
named-edit = Edit
named-deleted = “{ $name }” deleted.
named-export-all = Export presets and prompts
named-file = gemtab-presets.json
named-imported = Presets imported: { NUMBER($presets) }, prompts: { NUMBER($prompts) }. Already here: { NUMBER($known) }.
presets-format = The file has no presets or prompts from gemtab.
presets-too-many = The file has { NUMBER($count) } presets and prompts, but imports are limited to { NUMBER($most) }.
presets-text = The text of “{ $name }” is { $size }, but the limit is { $most }.
presets-sampling = The preset “{ $name }” has a sampling setting that is out of range.
chip-temperature = Temperature { $number }
chip-context = Context { NUMBER($tokens) }
chip-longest = Up to { NUMBER($tokens) } tokens
