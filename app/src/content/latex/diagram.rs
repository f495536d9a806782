//! Commutative diagrams of the environment `CD`, as matrices.

/// Returns a matrix whose cells are the objects and the arrows: `A @>a>> B \\ @VbVV @VVcV`.
pub(super) fn matrix(source: &str) -> String {
    let rows = source.trim().split("\\\\").map(row);
    format!("\\begin{{matrix}}{}\\end{{matrix}}", rows.collect::<Vec<_>>().join("\\\\"))
}

fn row(source: &str) -> String {
    let mut cells = String::new();
    let mut rest = source.trim();
    // Between arrows down there is a column of objects.
    let down = rest.starts_with('@');
    while let Some(at) = rest.find('@') {
        cells.push_str(&rest[..at]);
        let Some((cell, behind)) = arrow(&rest[at + 1..]) else {
            cells.push('@');
            rest = &rest[at + 1..];
            continue;
        };
        if down {
            cells.push_str(&format!("{cell}{}", if behind.contains('@') { " & & " } else { "" }));
        } else {
            cells.push_str(&format!(" & {cell} & "));
        }
        rest = behind;
    }
    cells + rest
}

/// The arrow behind an `@`, and what follows it; `None` if there is none.
fn arrow(source: &str) -> Option<(String, &str)> {
    let sign = source.chars().next()?;
    let rest = &source[sign.len_utf8()..];
    match sign {
        '=' => return Some(("=".to_owned(), rest)),
        '|' => return Some(("\\Vert".to_owned(), rest)),
        '.' => return Some((String::new(), rest)),
        '>' | '<' | 'V' | 'A' => {}
        _ => return None,
    }
    let (first, rest) = rest.split_once(sign)?;
    let (second, rest) = rest.split_once(sign)?;
    let cell = match sign {
        '>' => format!("\\xrightarrow[{second}]{{{first}}}"),
        '<' => format!("\\xleftarrow[{second}]{{{first}}}"),
        'V' => format!("{{\\scriptstyle {first}}}\\downarrow{{\\scriptstyle {second}}}"),
        _ => format!("{{\\scriptstyle {first}}}\\uparrow{{\\scriptstyle {second}}}"),
    };
    Some((cell, rest))
}
