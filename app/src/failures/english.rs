//! The words of failures in English.

use crate::format::count;

/// The words.
#[derive(Clone, Copy)]
pub struct English;

/// The words of the language now.
pub fn t() -> English {
    English
}

impl English {
    pub fn failure_details(self) -> &'static str {
        "Details"
    }

    pub fn failure_cancelled(self) -> &'static str {
        "Stopped."
    }

    pub fn failure_version(self) -> &'static str {
        "The page is out of date. Reload to update."
    }

    pub fn failure_no_model(self) -> &'static str {
        "No model is loaded. Choose one first."
    }

    pub fn failure_busy_loading(self) -> &'static str {
        "A model is still loading. Wait until it’s ready."
    }

    pub fn failure_busy_unloading(self) -> &'static str {
        "The model is being unloaded. Wait a moment, then try again."
    }

    pub fn failure_busy_generating(self) -> &'static str {
        "The model is still answering. Stop it, or wait until it’s done."
    }

    pub fn failure_busy_training(self) -> &'static str {
        "The model is busy training. Pause it on the Fine-tune page, or wait until it’s done."
    }

    pub fn failure_busy_measuring(self) -> &'static str {
        "A measurement is running. Stop it, or wait until it’s done."
    }

    pub fn failure_no_question(self) -> &'static str {
        "There’s no question yet. Send a message first."
    }

    pub fn failure_empty_prompt(self) -> &'static str {
        "There’s nothing to answer. Write a message first."
    }

    pub fn failure_context_full(self, context: u64, tokens: u64) -> String {
        let context = count(context);
        let tokens = count(tokens);
        format!(
            "Too long: {tokens} tokens, but the limit is {context}. Start a new conversation, or load the model with a longer context."
        )
    }

    pub fn failure_tool_description(self) -> &'static str {
        "A tool’s description isn’t valid. Check that it’s a JSON object."
    }

    pub fn failure_tool_arguments(self, tool: &str) -> String {
        format!("The arguments for “{tool}” aren’t a valid JSON object.")
    }

    pub fn failure_gpu_insecure(self) -> &'static str {
        "WebGPU needs a secure connection: https, or localhost."
    }

    pub fn failure_gpu_no_webgpu(self) -> &'static str {
        "This browser doesn’t support WebGPU, or it’s turned off."
    }

    pub fn failure_gpu_no_adapter(self) -> &'static str {
        "WebGPU is available, but no graphics card was found."
    }

    pub fn failure_gpu_no_device(self) -> &'static str {
        "The graphics card can’t be used. Restart the browser, then try again."
    }

    pub fn failure_gpu_lost(self) -> &'static str {
        "The graphics card was reset twice in a row."
    }

    pub fn failure_gpu_out_of_memory(self, requested: &str, used: &str) -> String {
        format!("Graphics memory is full: {used} in use, and no room for {requested} more.")
    }

    pub fn failure_gpu_buffer(self, buffer: &str, limit: &str, needed: &str) -> String {
        format!(
            "“{buffer}” needs {needed} of graphics memory in one piece, but this graphics card allows only {limit}."
        )
    }

    pub fn failure_gpu_too_large(self, available: &str, needed: &str) -> String {
        format!("This model needs {needed} of graphics memory, but only {available} is available.")
    }

    pub fn failure_gpu_host_memory(self, amount: &str) -> String {
        format!(
            "This model doesn’t fit in graphics memory. {amount} of it can stay in main memory while the model is loaded, but answers will be slower."
        )
    }

    pub fn failure_gpu_upload(self) -> &'static str {
        "The graphics card didn’t accept all of the model. Close other tabs and apps that use it, then try again."
    }

    pub fn failure_gpu_kernel(self, kernel: &str) -> String {
        format!(
            "This browser rejected a part of the engine ({kernel}). Update the browser and the graphics driver, then reload."
        )
    }

    pub fn failure_gpu_fault(self) -> &'static str {
        "The graphics card reported an error."
    }

    pub fn failure_file_short(self, size: &str) -> String {
        format!("The model file is incomplete: it ends after {size}. Download it again.")
    }

    pub fn failure_file_unreadable(self) -> &'static str {
        "The model file can’t be read."
    }

    pub fn failure_file_connection(self, received: &str) -> String {
        format!("The connection to the server was lost after {received}.")
    }

    pub fn failure_file_not_found(self) -> &'static str {
        "The server no longer has this model. Reload to update the list."
    }

    pub fn failure_file_forbidden(self) -> &'static str {
        "The server doesn’t allow access to this model."
    }

    pub fn failure_file_status(self, status: &str) -> String {
        format!("The server couldn’t send the model (status {status}).")
    }

    pub fn failure_file_range(self) -> &'static str {
        "The server sent the wrong part of the model."
    }

    pub fn failure_file_changed(self) -> &'static str {
        "The model file changed while it was being read. Choose it again."
    }

    pub fn failure_file_memory(self, amount: &str) -> String {
        format!("This tab couldn’t get the {amount} of memory that the model needs.")
    }

    pub fn failure_file_gone(self) -> &'static str {
        "The file is no longer available. Choose it again."
    }

    pub fn failure_file_list(self) -> &'static str {
        "The list of models couldn’t be loaded. You can still open a file of your own."
    }

    pub fn failure_model_not_gguf(self) -> &'static str {
        "This isn’t a GGUF file."
    }

    pub fn failure_model_truncated(self, missing: &str, size: &str) -> String {
        format!("The model file is incomplete: {missing} are missing after {size}. Download it again.")
    }

    pub fn failure_model_version(self, version: &str) -> String {
        format!("This file uses GGUF version {version}. Only versions 2 and 3 are supported.")
    }

    pub fn failure_model_endian(self) -> &'static str {
        "This GGUF file was made for big-endian machines, which isn’t supported."
    }

    pub fn failure_model_header(self) -> &'static str {
        "This GGUF file’s header isn’t supported."
    }

    pub fn failure_model_damaged(self) -> &'static str {
        "The model file is damaged. Download it again."
    }

    pub fn failure_model_no_architecture(self) -> &'static str {
        "This file doesn’t say which model it is. gemtab runs Gemma 4."
    }

    pub fn failure_model_architecture(self, name: &str) -> String {
        format!("This is a “{name}” model. gemtab runs Gemma 4.")
    }

    pub fn failure_model_diffusion(self) -> &'static str {
        "This is a diffusion model, which isn’t supported."
    }

    pub fn failure_model_drafter(self) -> &'static str {
        "This file only holds a drafter for another model. Choose the model itself."
    }

    pub fn failure_model_projector(self) -> &'static str {
        "This file only holds the image and audio support of a model. Choose the model itself."
    }

    pub fn failure_model_tensor(self, dtype: &str, tensor: &str) -> String {
        format!(
            "The tensor {tensor} uses {dtype}, which isn’t supported. Choose another quantization, such as Q4_K_M."
        )
    }

    pub fn failure_model_token(self, token: &str) -> String {
        format!("The model’s vocabulary has no {token} token, so it can’t be used for chat.")
    }

    pub fn failure_model_no_file(self, name: &str) -> String {
        format!("“{name}” has no model file.")
    }

    pub fn failure_model_wrong_projector(self) -> &'static str {
        "The file for image and audio support belongs to another model."
    }

    pub fn failure_model_no_vision(self) -> &'static str {
        "This model doesn’t support images. Choose one that does, or remove the images."
    }

    pub fn failure_model_no_audio(self) -> &'static str {
        "This model doesn’t support audio. Choose one that does, or remove the audio."
    }

    pub fn failure_model_tower(self) -> &'static str {
        "This model’s image and audio support can’t be used. Text chat still works."
    }

    pub fn failure_model_not_opened(self, name: &str, why: &str) -> String {
        format!("{name} can’t be opened. {why}")
    }

    pub fn failure_media_gone(self) -> &'static str {
        "This attachment is no longer available. Attach it again."
    }

    pub fn failure_media_neither(self) -> &'static str {
        "Only images and audio can be used."
    }

    pub fn failure_media_not_image(self) -> &'static str {
        "This isn’t an image."
    }

    pub fn failure_media_not_audio(self) -> &'static str {
        "This isn’t an audio file."
    }

    pub fn failure_media_empty_file(self) -> &'static str {
        "The file is empty."
    }

    pub fn failure_media_file_large(self, most: &str, size: &str) -> String {
        format!("Too large: {size}, but the limit is {most}.")
    }

    pub fn failure_media_image_decode(self) -> &'static str {
        "This browser can’t read the image."
    }

    pub fn failure_media_audio_decode(self) -> &'static str {
        "This browser can’t read the audio."
    }

    pub fn failure_media_memory(self) -> &'static str {
        "The browser doesn’t have enough memory for this file."
    }

    pub fn failure_media_image_unreadable(self) -> &'static str {
        "This image can’t be read. Use PNG, JPEG, WebP, or GIF."
    }

    pub fn failure_media_image_empty(self) -> &'static str {
        "The image is empty."
    }

    pub fn failure_media_image_large(self, height: u64, width: u64) -> String {
        let height = count(height);
        let width = count(width);
        format!("The image is too large: {width} × {height} pixels. Make it smaller, then attach it again.")
    }

    pub fn failure_media_image_damaged(self, format: &str) -> String {
        format!("The {format} image is damaged or incomplete. Save it again, or choose another.")
    }

    pub fn failure_media_image_unsupported(self, format: &str) -> String {
        format!("This kind of {format} image isn’t supported. Save it as a regular PNG or JPEG.")
    }

    pub fn failure_media_image_narrow(self) -> &'static str {
        "The image is too long and narrow for this model. Crop it, or choose a lower detail level."
    }

    pub fn failure_media_tokens(self, most: u64, tokens: u64) -> String {
        let most = count(most);
        let tokens = count(tokens);
        format!("The image takes {tokens} tokens, but the limit is {most}. Choose a lower detail level.")
    }

    pub fn failure_media_no_sound(self) -> &'static str {
        "There’s no audio in this file."
    }

    pub fn failure_media_sound_short(self) -> &'static str {
        "The recording is too short."
    }

    pub fn failure_media_sound_long(self, length: &str, most: &str) -> String {
        format!("The audio is too long: {length}, but the limit is {most}. Split it into shorter pieces.")
    }

    pub fn failure_media_sound_unreadable(self) -> &'static str {
        "This audio file can’t be read."
    }

    pub fn failure_adapter_not_open(self) -> &'static str {
        "An adapter is no longer open. Open it again, or turn it off."
    }

    pub fn failure_adapter_not_saved(self) -> &'static str {
        "This adapter is no longer saved in this browser."
    }

    pub fn failure_adapter_incomplete(self) -> &'static str {
        "A PEFT adapter has two files: adapter_model.safetensors and adapter_config.json. Choose both together."
    }

    pub fn failure_adapter_several(self) -> &'static str {
        "Open PEFT adapters one at a time."
    }

    pub fn failure_adapter_needs_model(self, names: &str) -> String {
        format!("Load the model for {names} first, then open the adapter again.")
    }

    pub fn failure_adapter_not_adapter(self) -> &'static str {
        "This isn’t a LoRA adapter. Choose a .gguf file, or a .safetensors file and its .json file."
    }

    pub fn failure_adapter_config(self, file: &str) -> String {
        format!("{file} is too large for an adapter configuration.")
    }

    pub fn failure_adapter_damaged(self) -> &'static str {
        "The adapter file is damaged. Download it again."
    }

    pub fn failure_adapter_architecture(self, name: &str) -> String {
        format!("This adapter is for “{name}”. gemtab runs Gemma 4.")
    }

    pub fn failure_adapter_unsupported(self) -> &'static str {
        "This adapter uses a feature that isn’t supported."
    }

    pub fn failure_adapter_tensor(self, dtype: &str, tensor: &str) -> String {
        format!("The tensor {tensor} uses {dtype}, which isn’t supported.")
    }

    pub fn failure_adapter_rank(self, most: u64, rank: u64) -> String {
        let most = count(most);
        let rank = count(rank);
        format!("The adapter has rank {rank}. Ranks from 1 to {most} are supported.")
    }

    pub fn failure_adapter_other_model(self) -> &'static str {
        "This adapter was made for another model."
    }

    pub fn failure_adapter_not_finite(self) -> &'static str {
        "The adapter contains invalid numbers. It’s damaged, or its training failed."
    }

    pub fn failure_adapter_too_many(self, most: u64, ranks: u64) -> String {
        let most = count(most);
        let ranks = count(ranks);
        format!(
            "Too many adapters: up to {most} can be open, with ranks of up to {ranks} in total. Close one first."
        )
    }

    pub fn failure_adapter_not_written(self) -> &'static str {
        "The adapter couldn’t be saved as a file."
    }

    pub fn failure_storage_unavailable(self) -> &'static str {
        "This browser doesn’t let the page save files. Private windows often don’t."
    }

    pub fn failure_storage_in_use(self) -> &'static str {
        "This model is in use, here or in another tab. Unload it first."
    }

    pub fn failure_storage_failed(self) -> &'static str {
        "The browser’s storage didn’t work."
    }

    pub fn failure_storage_no_room(self, available: &str, needed: &str) -> String {
        format!("Not enough storage to save the model: {needed} more needed, {available} available.")
    }

    pub fn failure_storage_full(self, kept: &str, size: &str) -> String {
        format!(
            "The browser’s storage is full: {kept} of {size} were saved. The rest is downloaded again next time."
        )
    }

    pub fn failure_storage_corrupt(self) -> &'static str {
        "The download was damaged, so it was deleted. Load the model again."
    }

    pub fn failure_storage_training_full(self, size: &str) -> String {
        format!(
            "The browser’s storage is full: no room for {size} of training progress. Free up space, then continue."
        )
    }

    pub fn failure_storage_training_in_use(self) -> &'static str {
        "Another tab is using the saved training. Close that tab, or continue there."
    }

    pub fn failure_storage_media_full(self, size: &str) -> String {
        format!(
            "The browser’s storage is full: no room for {size} of images and audio for training. Free up space, or use fewer examples."
        )
    }

    pub fn failure_training_rank(self) -> &'static str {
        "The rank must be between 1 and 64."
    }

    pub fn failure_training_alpha(self) -> &'static str {
        "Alpha must be greater than 0."
    }

    pub fn failure_training_targets(self) -> &'static str {
        "Choose at least one part of the model to train."
    }

    pub fn failure_training_steps(self) -> &'static str {
        "At least 1 step is needed."
    }

    pub fn failure_training_learning_rate(self) -> &'static str {
        "The learning rate must be greater than 0."
    }

    pub fn failure_training_weight_decay(self) -> &'static str {
        "The weight decay can’t be negative."
    }

    pub fn failure_training_clipping(self) -> &'static str {
        "Gradient clipping can’t be negative."
    }

    pub fn failure_training_dropout(self) -> &'static str {
        "Dropout must be at least 0 and below 1."
    }

    pub fn failure_training_max_tokens(self) -> &'static str {
        "The limit of tokens per example must be between 2 and the longest context of the model."
    }

    pub fn failure_training_no_target(self) -> &'static str {
        "This model has none of the selected parts. Choose others."
    }

    pub fn failure_training_unsupported(self) -> &'static str {
        "This kind of model can’t be trained yet."
    }

    pub fn failure_training_no_examples(self) -> &'static str {
        "There’s nothing to learn: none of the examples can be used."
    }

    pub fn failure_training_masked(self) -> &'static str {
        "There’s nothing to learn: the examples have no answers by the model."
    }

    pub fn failure_training_media_lost(self) -> &'static str {
        "The images and audio of these examples are no longer saved. Start the training again."
    }

    pub fn failure_training_bad_example(self) -> &'static str {
        "An example doesn’t fit this model."
    }

    pub fn failure_training_unstable(self, kept: &str, step: u64, what: &str) -> String {
        let step = count(step);
        format!(
            "Training became unstable at step {step} ({what}). {kept} Try a lower learning rate, a longer warm-up, or gradient clipping."
        )
    }

    pub fn failure_training_nan(self) -> &'static str {
        "loss is NaN"
    }

    pub fn failure_training_infinite(self) -> &'static str {
        "loss is infinite"
    }

    pub fn failure_training_gradient(self) -> &'static str {
        "gradients are infinite"
    }

    pub fn failure_training_kept(self, step: u64) -> String {
        let step = count(step);
        format!("Progress up to step {step} is saved.")
    }

    pub fn failure_training_not_kept(self) -> &'static str {
        "Nothing was saved yet."
    }

    pub fn failure_training_checkpoint(self) -> &'static str {
        "The saved training is damaged and can’t continue."
    }

    pub fn failure_training_no_resume(self) -> &'static str {
        "There’s no training to continue."
    }

    pub fn failure_training_no_save(self) -> &'static str {
        "There’s no training to save."
    }

    pub fn failure_training_in_progress(self) -> &'static str {
        "Training is in progress. Pause it, or wait until it’s done."
    }

    pub fn failure_training_elsewhere(self) -> &'static str {
        "Another tab is training. Pause it there, or wait until it’s done."
    }

    pub fn failure_training_elsewhere_named(self, name: &str) -> String {
        format!("Another tab is training “{name}”. Pause it there, or wait until it’s done.")
    }

    pub fn failure_training_for_model(self, model: &str) -> String {
        format!("This training is for “{model}”. Load that model to continue.")
    }

    pub fn failure_training_memory(self, available: &str, needed: &str) -> String {
        format!(
            "Training needs {needed} of graphics memory, but only {available} is available. Use shorter examples, a lower rank or fewer parts, or load the model with a shorter context."
        )
    }

    pub fn failure_training_media(self, most: &str, needed: &str) -> String {
        format!("The images and audio need {needed}, but the limit is {most}. Use fewer examples.")
    }

    pub fn failure_training_media_memory(self, most: &str, needed: &str) -> String {
        format!(
            "The images and audio need {needed} of memory, but the limit is {most} because this browser can’t save files for the page. Use fewer examples."
        )
    }

    pub fn failure_training_stopped(self) -> &'static str {
        "The engine stopped. Progress up to the last checkpoint is saved."
    }

    pub fn failure_training_failed(self) -> &'static str {
        "Something went wrong while training."
    }

    pub fn failure_engine_unexpected(self) -> &'static str {
        "Something went wrong inside gemtab."
    }

    pub fn failure_engine_generating(self) -> &'static str {
        "Something went wrong while generating."
    }

    pub fn failure_engine_stopped(self) -> &'static str {
        "The engine stopped unexpectedly."
    }

    pub fn failure_engine_answer_cut(self) -> &'static str {
        "The engine stopped before the answer was complete."
    }

    pub fn failure_engine_not_started(self, seconds: u64) -> String {
        let seconds = count(seconds);
        format!("The engine didn’t start within {seconds} seconds.")
    }

    pub fn failure_engine_message(self) -> &'static str {
        "The page and the engine don’t understand each other. Reload to update."
    }

    pub fn failure_engine_numbers(self) -> &'static str {
        "The model produced invalid numbers. Its file is damaged, or the graphics card computes wrongly. Run the self-test on the Diagnostics page to find out."
    }

    pub fn failure_engine_fallback(self, kernels: &str) -> String {
        format!(
            "This graphics card gets packed integer math wrong ({kernels}), so gemtab uses floating point instead. Answers are correct, but a little slower."
        )
    }

    pub fn failure_engine_unloaded(self, kernels: &str) -> String {
        format!(
            "This graphics card computes wrongly ({kernels}), so the model was unloaded. Update the browser and the graphics driver, then load it again."
        )
    }

    pub fn example_json(self, column: u64, what: &str) -> String {
        let column = count(column);
        format!("not valid JSON at column {column}: {what}")
    }

    pub fn example_json_end(self) -> &'static str {
        "not valid JSON: the line ends too early"
    }

    pub fn example_json_after(self) -> &'static str {
        "there’s something after the end"
    }

    pub fn example_json_value(self) -> &'static str {
        "a value is missing"
    }

    pub fn example_json_comma(self) -> &'static str {
        "a comma or a closing bracket is missing"
    }

    pub fn example_json_colon(self) -> &'static str {
        "a colon is missing"
    }

    pub fn example_json_key(self) -> &'static str {
        "a key needs quotation marks"
    }

    pub fn example_json_trailing(self) -> &'static str {
        "there’s a comma before a closing bracket"
    }

    pub fn example_json_control(self) -> &'static str {
        "a text contains a line break or another control character"
    }

    pub fn example_json_escape(self) -> &'static str {
        "there’s an unknown escape sequence"
    }

    pub fn example_json_number(self) -> &'static str {
        "a number is malformed"
    }

    pub fn example_json_other(self) -> &'static str {
        "something is malformed"
    }

    pub fn example_unknown(self) -> &'static str {
        "nothing to learn from: a row needs “messages”, “conversations”, “prompt” and “completion”, or “ids” and “labels”"
    }

    pub fn example_text(self) -> &'static str {
        "“text” alone can’t be learned from: put the question in “prompt” and the answer in “completion”"
    }

    pub fn example_half(self, found: &str, missing: &str) -> String {
        format!("“{found}” without “{missing}”")
    }

    pub fn example_prose(self) -> &'static str {
        "this looks like plain text. Use one JSON object per line, or a table that starts with column names such as “prompt,completion”"
    }

    pub fn example_field_empty(self, field: &str) -> String {
        format!("“{field}” is empty")
    }

    pub fn example_field_text(self, field: &str) -> String {
        format!("“{field}” isn’t text")
    }

    pub fn example_field_list(self, field: &str) -> String {
        format!("“{field}” isn’t a list")
    }

    pub fn example_field_integers(self, field: &str) -> String {
        format!("“{field}” contains something other than whole numbers")
    }

    pub fn example_field_files(self, field: &str) -> String {
        format!("“{field}” doesn’t name any files")
    }

    pub fn example_field_malformed(self, field: &str) -> String {
        format!("“{field}” doesn’t have the expected structure")
    }

    pub fn example_role(self, role: &str) -> String {
        format!("unknown role “{role}”: use system, user, or assistant")
    }

    pub fn example_cell(self, column: &str) -> String {
        format!("the column “{column}” is empty")
    }

    pub fn example_table(self) -> &'static str {
        "the table can’t be read here"
    }

    pub fn example_columns(self) -> &'static str {
        "the table has fewer than two columns"
    }

    pub fn example_no_column(self, column: &str, columns: &str) -> String {
        format!("there’s no column “{column}”; there are: {columns}")
    }

    pub fn example_video(self) -> &'static str {
        "videos can’t be learned from, only images and audio"
    }

    pub fn example_image_name(self) -> &'static str {
        "an image has no file name"
    }

    pub fn example_audio_name(self) -> &'static str {
        "an audio clip has no file name"
    }

    pub fn example_places(self, named: u64, places: u64) -> String {
        let named = count(named);
        let places = count(places);
        format!("it has room for {places} images and audio clips, but names {named}")
    }

    pub fn example_file_missing(self, name: &str) -> String {
        format!("the file “{name}” is missing")
    }

    pub fn example_file(self, name: &str, why: &str) -> String {
        format!("the file “{name}” can’t be used. {why}")
    }

    pub fn example_no_vision(self) -> &'static str {
        "this model doesn’t support images"
    }

    pub fn example_no_audio(self) -> &'static str {
        "this model doesn’t support audio"
    }

    pub fn example_media(self) -> &'static str {
        "its images and audio don’t match their places"
    }

    pub fn example_token(self, token: &str) -> String {
        format!("the model has no {token} token")
    }

    pub fn example_id(self, id: &str, vocabulary: u64) -> String {
        let vocabulary = count(vocabulary);
        format!("{id} isn’t a token of this model, which has {vocabulary}")
    }

    pub fn example_labels(self, ids: u64, labels: u64) -> String {
        let ids = count(ids);
        let labels = count(labels);
        format!("{ids} ids, but {labels} labels")
    }

    pub fn example_long(self, limit: u64, tokens: u64) -> String {
        let limit = count(limit);
        let tokens = count(tokens);
        format!("too long: {tokens} tokens, but the limit is {limit}")
    }

    pub fn example_large(self, limit: &str, size: &str) -> String {
        format!("too large: {size}, but the limit is {limit}")
    }

    pub fn example_masked(self) -> &'static str {
        "nothing to learn: the model says nothing in it"
    }

    pub fn example_many(self, limit: u64) -> String {
        let limit = count(limit);
        format!("skipped from here on: the limit is {limit} rows")
    }

    pub fn kernel_differs(self, element: u64, expected: &str, found: &str) -> String {
        let element = count(element);
        format!("element {element} is {found} instead of {expected}")
    }

    pub fn kernel_refused(self) -> &'static str {
        "rejected by the browser"
    }
}
