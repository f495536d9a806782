//! Examples that cannot be used: what is wrong, to stand behind the line.

use protocol::Sense;
use protocol::example::{ExampleProblem, FieldProblem, JsonProblem};

use super::{compared, t};

/// What is wrong with an example, without a full stop at the end.
#[must_use]
pub fn problem(problem: &ExampleProblem) -> String {
    use ExampleProblem as P;
    match problem {
        P::Json { what: JsonProblem::EarlyEnd, .. } => t().example_json_end().into(),
        P::Json { column, what } => t().example_json((*column).into(), json(*what)),
        P::UnknownShape => t().example_unknown().into(),
        P::TextOnly => t().example_text().into(),
        P::Half { found, missing } => t().example_half(found, missing),
        P::Preference => t().example_preference().into(),
        P::SingleMessage => t().example_single().into(),
        P::Joined => t().example_joined().into(),
        P::Replaced => t().example_replaced().into(),
        P::PlainText => t().example_prose().into(),
        P::Field { field, what } => match what {
            FieldProblem::Empty => t().example_field_empty(field),
            FieldProblem::NotText => t().example_field_text(field),
            FieldProblem::NotAList => t().example_field_list(field),
            FieldProblem::NotIntegers => t().example_field_integers(field),
            FieldProblem::NoFlag => t().example_field_flag(field),
            FieldProblem::UnknownRule => t().example_field_rule(field),
            FieldProblem::NotOfModel => t().example_field_not_model(field),
            FieldProblem::LeftOut => t().example_field_left_out(field),
            FieldProblem::NoFileNames => t().example_field_files(field),
            FieldProblem::Malformed => t().example_field_malformed(field),
        },
        P::Role { role } => t().example_role(role),
        P::EmptyCell { column } => t().example_cell(column),
        P::Quotes => t().example_quotes().into(),
        P::Cells { cells, columns } => t().example_cells((*cells).into(), (*columns).into()),
        P::TooFewColumns => t().example_columns().into(),
        P::NoColumn { column, columns } => t().example_no_column(column, columns),
        P::Video => t().example_video().into(),
        P::NoFileName(Sense::Sight) => t().example_image_name().into(),
        P::NoFileName(Sense::Hearing) => t().example_audio_name().into(),
        P::Places { places, named } => t().example_places((*places).into(), (*named).into()),
        P::MissingFile { name } => t().example_file_missing(name),
        P::BadFile { name, why } => {
            let why = super::of(why);
            t().example_file(name, why.trim_end_matches('.'))
        }
        P::Lacks(Sense::Sight) => t().example_no_vision().into(),
        P::Lacks(Sense::Hearing) => t().example_no_audio().into(),
        P::MediaMismatch => t().example_media().into(),
        P::NoToken { token } => t().example_token(token),
        P::NoId { id, vocabulary } => t().example_id(&id.to_string(), (*vocabulary).into()),
        P::Labels { ids, labels } => t().example_labels((*ids).into(), (*labels).into()),
        P::TooLong { tokens, limit } => t().example_long((*tokens).into(), (*limit).into()),
        P::TooLarge { bytes, limit } => {
            let (size, limit) = compared(*bytes, *limit);
            t().example_large(&size, &limit)
        }
        P::AllMasked => t().example_masked().into(),
        P::TooMany { limit } => t().example_many((*limit).into()),
    }
}

fn json(problem: JsonProblem) -> &'static str {
    match problem {
        JsonProblem::EarlyEnd => t().example_json_end(),
        JsonProblem::TextAfterEnd => t().example_json_after(),
        JsonProblem::NoValue => t().example_json_value(),
        JsonProblem::NoComma => t().example_json_comma(),
        JsonProblem::NoColon => t().example_json_colon(),
        JsonProblem::KeyNotQuoted => t().example_json_key(),
        JsonProblem::TrailingComma => t().example_json_trailing(),
        JsonProblem::ControlCharacter => t().example_json_control(),
        JsonProblem::BadEscape => t().example_json_escape(),
        JsonProblem::BadNumber => t().example_json_number(),
        JsonProblem::Other => t().example_json_other(),
    }
}
