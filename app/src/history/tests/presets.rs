//! Presets and prompts.

use pollster::block_on;
use protocol::{AnswerFormat, Sampling};

use super::super::{Preset, PresetFileError, Prompt};
use super::*;

fn preset(name: &str) -> Preset {
    Preset { name: name.to_owned(), instructions: "Translate.".to_owned(), ..Preset::new(1) }
}

#[test]
fn a_conversation_takes_over_a_preset_and_keeps_it_when_that_is_changed_or_deleted() {
    block_on(async {
        let store = store();
        let hot = Sampling { temperature: 1.3, ..Sampling::default() };
        let it = Preset {
            model: "tiny".to_owned(),
            sampling: Some(hot.clone()),
            thinking: true,
            max_thought: 256,
            tools: vec!["calculate".to_owned()],
            format: AnswerFormat::Schema("{}".to_owned()),
            ..preset("Translator")
        };
        store.put_named(std::slice::from_ref(&it)).await.unwrap();
        let (mut conversation, ..) = answered(1);
        conversation.options.stop = vec!["END".to_owned()];
        conversation.take_preset(&it);
        assert_eq!((conversation.system.as_str(), conversation.preset), ("Translate.", Some(it.id)));
        let options = &conversation.options;
        assert_eq!((options.model.as_str(), options.thinking, &options.sampling), ("tiny", true, &Some(hot)));
        assert_eq!((options.max_thought, &options.tools, &options.format), (256, &it.tools, &it.format));
        assert_eq!(options.stop, ["END"], "a preset says nothing of it");
        assert_eq!(
            Preset {
                name: it.name.clone(),
                id: it.id,
                created: it.created,
                model: it.model.clone(),
                ..Preset::of(&conversation, 2)
            },
            it
        );
        keep(&store, &conversation).await;
        store
            .change_named(it.id, |preset: &mut Preset| preset.instructions = "Sing.".to_owned())
            .await
            .unwrap();
        assert_eq!(loaded(&store, conversation.id).await, Some(conversation.clone()));
        store.delete_named::<Preset>(it.id).await.unwrap();
        assert_eq!(loaded(&store, conversation.id).await, Some(conversation));
        // One that names no model leaves it.
        let (mut other, ..) = answered(2);
        other.options.model = "mine".to_owned();
        other.take_preset(&preset("Plain"));
        assert_eq!((other.options.model.as_str(), other.options.thinking), ("mine", false));
    });
}

#[test]
fn an_archive_of_all_has_presets_and_prompts_and_one_conversation_its_preset() {
    block_on(async {
        let (from, to) = (store(), store());
        let (used, unused) = (preset("B"), preset("A"));
        let prompt = Prompt { name: "Sum up".to_owned(), text: "{{text}}".to_owned(), ..Prompt::new(1) };
        from.put_named(&[used.clone(), unused.clone()]).await.unwrap();
        from.put_named(std::slice::from_ref(&prompt)).await.unwrap();
        let (mut first, ..) = answered(1);
        first.take_preset(&used);
        keep(&from, &first).await;
        keep(&from, &answered(2).0).await;
        let mut one = String::new();
        from.export(&[first.id], |_| None, |piece| one.push_str(&piece)).await.unwrap();
        let one = Archive::from_json(one.as_bytes()).unwrap();
        assert_eq!((one.presets.as_slice(), one.prompts.as_slice()), (&[used.clone()][..], &[][..]));
        to.import(exported(&from).await.as_bytes()).await.unwrap();
        assert_eq!(to.named::<Preset>().await.unwrap(), [unused, used.clone()]);
        assert_eq!(to.named::<Prompt>().await.unwrap(), [prompt]);
        to.change_named(used.id, |it: &mut Preset| it.name = "Mine".to_owned()).await.unwrap();
        to.import(exported(&from).await.as_bytes()).await.unwrap();
        assert_eq!(to.named::<Preset>().await.unwrap()[1].name, "Mine", "what was changed here stays");
        let hostile = Preset { instructions: "a".repeat(1 << 20), ..used };
        let archive = Archive { presets: vec![hostile], ..Archive::new(1) };
        let error = to.import(archive.to_json().as_bytes()).await.unwrap_err();
        assert!(matches!(error, ImportError::Preset(PresetFileError::Text { .. })), "{error:?}");
    });
}
