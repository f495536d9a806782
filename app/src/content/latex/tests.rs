//! Commands and environments as models write them.

use proptest::prelude::*;

use super::super::math::{Element, Node, Tag, parse};
use super::rewrite;

/// The elements of a formula, as `tag(children)`; a text alone as it is.
fn outline(latex: &str) -> String {
    fn of(element: &Element) -> String {
        let children = element.children.iter().map(|child| match child {
            Node::Element(element) => of(element),
            Node::Text(text) => text.replace(['\u{a0}', '\u{2009}'], " "),
        });
        let children = children.collect::<Vec<_>>().join(" ");
        let class =
            element.attributes.iter().find(|(name, _)| *name == "class").map(|(_, class)| class.as_str());
        match (element.tag, class.filter(|class| class.starts_with("math-"))) {
            (Tag::Mi | Tag::Mn | Tag::Mo | Tag::Mtext, _) => children,
            (Tag::Mrow | Tag::Math, None) => children,
            (Tag::Mspace, _) => "_".to_owned(),
            (_, Some(class)) => format!("{class}({children})"),
            (tag, None) => format!("{tag:?}({children})").to_lowercase(),
        }
    }
    of(&parse(latex, true).unwrap_or_else(|error| panic!("{latex}: {error:?}, {:?}", rewrite(latex))))
}

#[test]
fn commands_are_drawn_as_what_they_stand_for() {
    for (latex, expected) in [
        (r"\boxed{x = \frac{a}{b}}", "math-boxed(x = mfrac(a b))"),
        (r"\fbox{ab $x$} e^\boxed{x}", "math-boxed(ab  x) msup(e math-boxed(x))"),
        (r"E=m \tag{1} \label{a}", "E = m _ (1)"),
        (r"\eqref{a} \notag", "(a)"),
        (r"\bm\alpha_1 \mbox{if } x", "msub(𝜶 1) if  x"),
        (r"\text{if $x_1$ is 50\% of \textbf{all} \& \alpha}", "if  msub(x 1)  is 50 %  of  𝐚𝐥𝐥  &  α"),
        (r"\text{a\_b \{c\}} \text{50%} 5%", "a_b  { c } 50 % 5 %"),
        (
            r"\cancel{ab} \bcancel x \cancelto{0}{y}",
            "math-cancel(a b) math-bcancel(x) msup(math-cancel(y) 0)",
        ),
        (r"\phantom{x} \rule{1em}{2pt} \smash[b]{z}", "mphantom(x) math-rule(_) z"),
        (r"\newcommand{\R}{\mathbb{R}} x\in\R^n", "x ∈ msup(ℝ n)"),
        (r"\newcommand{\f}[2][a]{#1+#2} \f{b} \f[c]{d}", "a + b c + d"),
        (r"\def\x#1{#1^2} \x{y} \x z \let\a\alpha \a", "msup(y 2) msup(z 2) α"),
        (r"\DeclareMathOperator*{\am}{arg\,max} \am_x f", "munder(arg max x) f"),
        (
            r"\argmax\limits_{x}^y f \varlimsup_n \mathop{\rm ab}_c",
            "munder(mover(arg max y) x) f munder(mover(lim ‾) n) munder(a b c)",
        ),
        (r"{n \choose k} + {a+1 \over b}", "( mfrac(n k) ) + mfrac(a + 1 b)"),
        (r"\left( a \over b \right) + c", "( mfrac(a b) ) + c"),
        (r"\begin{pmatrix} a \over b & c \end{pmatrix}", "( mtable(mtr(mtd(mfrac(a b)) mtd(c))) )"),
        (r"a = b \\ c = d", "mtable(mtr(mtd(a = b)) mtr(mtd(c = d)))"),
        (r"a &= b \\ [c] &= d", "mtable(mtr(mtd(a) mtd(= b)) mtr(mtd( [ c ]) mtd(= d)))"),
        (r"\begin{eqnarray} a &=& b \end{eqnarray}", "mtable(mtr(mtd(a) mtd(=) mtd(b)))"),
        (
            r"\begin{array}{@{}l|*{2}{c}p{3cm}} a & b & c & d \end{array}",
            "mtable(mtr(mtd(a) mtd(b) mtd(c) mtd(d)))",
        ),
        (
            r"\begin{CD} A @>a>> B \\ @VbVV @VVcV \\ C @= D \end{CD}",
            "mtable(mtr(mtd(a) mtd(munderover(→  a)) mtd(b)) mtr(mtd(b ↓ ) mtd() mtd( ↓ c)) mtr(mtd(c) mtd(=) mtd(d)))",
        ),
        (r"\sideset{_1^2}{_3^4}\prod_a", "msubsup( 1 2) msub(munderover(∏ 3 4) a)"),
        (r"\dv{y}{x} \pdv{f}{x}{y} \dv{x}", "mfrac(d y d x) mfrac(msup(∂ 2) f ∂ x _ ∂ y) mfrac(d d x)"),
        (r"\bra{a} \braket{a|b} \mel{a}{b}{c} \qty(x)", "⟨ a | ⟨ a | b ⟩ ⟨ a | b | c ⟩ ( x )"),
        (r"\newcommand{\f}[1]{\lvert#1\rvert} \f{x} \f\alpha", "| x | | α |"),
        (r"\newcommand{\f}[1]{#1x} \f{\alpha}", "α x"),
        (r"\def\f#1{\left\lVert#1\right\rVert} \f a", "‖ a ‖"),
        (r"\boxed{$x^2$} \boxed{a = $b$}", "math-boxed(msup(x 2)) math-boxed(a =  b)"),
        (
            r"\framebox[2cm]{x} \framebox[2cm][c]{y} \fcolorbox{red}{blue}{z}",
            "math-boxed(x) math-boxed(y) math-boxed(z)",
        ),
        (r"\cfrac[l]{a}{b} \not{D} \slashed{D}", "mfrac(a b) math-cancel(D) math-cancel(D)"),
        (r"\begin{bmatrix}[cc|c] a & b & c \end{bmatrix}", "[ mtable(mtr(mtd(a) mtd(b) mtd(c))) ]"),
        (r"\begin{bmatrix}[x] & b \end{bmatrix}", "[ mtable(mtr(mtd([ x ]) mtd(b))) ]"),
        (r"\mqty(a & b) \mqty[a & b]", "( mtable(mtr(mtd(a) mtd(b))) ) [ mtable(mtr(mtd(a) mtd(b))) ]"),
        (r"\operatorname\det \ev{A}{\psi} \color[HTML]{FF0000} x", "det ⟨ ψ | A | ψ ⟩ x"),
        (r"\colorbox{red}{$x$} \textcolor[rgb]{1,0,0}{x}", "x x"),
        (r"\root 3 \of x \unicode{x41} \href{https://a.b}{x}", "mroot(x 3) A x"),
    ] {
        assert_eq!(outline(latex), expected, "{latex}");
    }
}

#[test]
fn substances_and_reactions() {
    for (source, expected) in [
        ("2H2 + O2 -> 2H2O", "2 _ msub(h 2) _ + _ msub(o 2) _ ⟶ _ 2 _ msub(h 2) O"),
        ("SO4^2-", "msubsup(s o 4 2 −)"),
        ("Na+", "msup(n a +)"),
        ("Ca(OH)2", "C a ( O H msub() 2)"),
        ("^{227}_{90}Th+", "msubsup( 90 227) msup(t h +)"),
        ("CO2 ->[\\Delta][cat] 2CO", "msub(c o 2) _ munder(mover(⟶ δ) c a t) _ 2 _ C O"),
        ("N2(g) <=> v", "msub(n 2) ( g ) _ ⇌ _ ↓"),
        ("CuSO4.5H2O", "msub(c u s o 4) ⋅ 5 _ msub(h 2) O"),
        ("CH3-CH=CH2", "msub(c h 3) – C H = msub(c h 2)"),
        ("[Fe(CN)6]^3-", "[ F e ( C N msub() 6) msup(] 3 −)"),
    ] {
        assert_eq!(outline(&format!("\\ce{{{source}}}")), expected, "{source}");
    }
}

#[test]
fn numbers_and_units() {
    for (latex, expected) in [
        (r"\SI{5}{\meter\per\second\squared}", "5 _ m / msup(s 2)"),
        (r"\qty{9.81}{m/s^2}", "9.81 _ m / msup(s 2)"),
        (r"\num{1.5e-3}", "1.5 × msup(10 − 3)"),
        (r"\unit{\kilo\gram\per\mole\per\kelvin}", "k g / m o l / K"),
        (r"\SI{25}{\celsius} \SI{50}{\percent}", "25 _ ° C 50 _ %"),
        (r"\pu{5 m s-1} \ang{45}", "5 _ m _ msup(s − 1) msup(45 ∘)"),
        (r"\ang{1;2;3} \ang{;;5}", "msup(1 ∘) msup(2 ′) msup(3 ′ ′) msup(5 ′ ′)"),
        (r"\numrange{1}{2} \qtyrange{1}{2}{m} \numlist{1;2}", "1 – 2 1 – 2 _ m 1 , _ 2"),
    ] {
        assert_eq!(outline(latex), expected, "{latex}");
    }
    assert!(parse(r"\si{\nosuchunit}", true).is_err(), "is shown as it is written");
}

#[test]
fn commands_that_models_write_are_drawn() {
    for latex in DRAWN.lines().filter(|line| !line.is_empty()) {
        let drawn = outline(latex);
        assert!(!drawn.contains('\\'), "{latex}: {drawn}");
    }
}

#[test]
fn definitions_cannot_grow_without_end() {
    for latex in [
        r"\def\a{\a\a}\a",
        r"\def\a{\b\b}\def\b{\c\c}\def\c{\d\d}\def\d{\e\e}\def\e{\f\f}\def\f{\a\a}\a",
        r"\def\a#1{#1#1}\a{\a{\a{\a{\a{\a{\a{\a{\a{\a{\a{\a{\a{\a{\a{\a{x}}}}}}}}}}}}}}}}",
        r"\let\a\a \a",
    ] {
        assert!(parse(latex, false).is_err(), "{latex}");
    }
}

/// A letter that no command has, in everything that takes arguments.
const HOLDERS: &[&str] = &[
    r"\boxed{?}",
    r"\tag{?}",
    r"\tag*{?}",
    r"\eqref{?}",
    r"\bm{?}",
    r"\mbox{? $?$}",
    r"\text{? \textbf{?} 5% \{?\}}",
    r"{? \over ?}",
    r"{?\choose?}",
    r"\xcancel{?}",
    r"\ce{? -> ?2}",
    r"\ce{? ->[?][?] {?}^2+}",
    r"\SI{5}{?}",
    r"\norm{?}",
    r"\dv{?}{?}",
    r"\braket{?}{?}",
    r"\href{}{?}",
    r"\argmax_?^?",
    r"\sideset{_?}{^?}\prod_?",
    r"\xRightarrow[?]{?}",
    r"\begin{CD} ? @>?>> ? \end{CD}",
    r"? \\ ?",
    r"? & ?",
    r"\left( ? \over ? \right)",
    r"\rlap{?}",
    r"\raisebox{1em}{?}",
    r"\phantom{?}",
    r"5% ?",
    r"\operatorname*{? ?}_?",
    r"\begin{array}{@{}c p{1em}} ? & ? \end{array}",
    r"\cases{? & ? \cr ? & ?}",
    r"\newcommand{\x}[1]{#1} \x{?}",
    r"\intertext{?}",
    "?",
    r"\mathop{\rm ?}_?",
    r"\sout{?}",
    r"\begin{cases} ? & ? \\ [?] & ? \end{cases}",
    r"\cancelto{?}{?}",
    r"\boldsymbol ?",
    "^?",
    "_{?}",
    r"\pu{5 ?}",
    r"\boxed{$?$}",
    r"\framebox[1em]{?}",
    r"\cfrac[l]{?}{?}",
    r"\operatorname\?",
    r"\begin{pmatrix}[?] ? & ? \end{pmatrix}",
    r"\numlist{?;?}",
    r"\splitfrac{?}{?}",
    r"\mqty(? & ?)",
];

proptest::proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn nothing_in_a_formula_vanishes(pieces in proptest::collection::vec(proptest::sample::select(HOLDERS), 1..6)) {
        let latex = pieces.join(" ").replace('?', "ж");
        if let Ok(element) = parse(&latex, true) {
            let drawn = format!("{element:?}");
            prop_assert_eq!(drawn.matches('ж').count(), latex.matches('ж').count(), "{}", latex);
        }
    }

    #[test]
    fn every_part_of_a_formula_is_read(pieces in proptest::collection::vec(proptest::sample::select(HOLDERS), 1..6), cut in 0_usize..40) {
        let latex = pieces.join(" ").replace('?', "ж");
        let end = latex.char_indices().map(|(at, _)| at).nth(cut).unwrap_or(latex.len());
        parse(&latex[..end], false).ok();
    }
}

const DRAWN: &str = r#"
\boxed{x}
\fbox{x}
x \tag{1}
x \tag*{A}
x \label{a}
\eqref{a}
\bm{x}
\pmb{x}
\mbox{if}
\hbox{if}
\textup{a}
\textnormal{a}
\textsf{a}
\texttt{a}
\textrm{a}
\textbf{a}
\textit{a}
\mathrm{d}x
\mathsf{a}
\mathtt{a}
\mathfrak{g}
\mathscr{L}
\mathbf{v}
\mathit{a}
\bold{a}
\cancel{x}
\bcancel{x}
\xcancel{x}
\ce{H2O}
\pu{5 m}
\SI{5}{m}
\qty{5}{m}
\num{1e5}
\unit{m}
\degree
\operatorname*{argmax}_x
\DeclareMathOperator{\a}{a} \a
\newcommand{\R}{\mathbb{R}} \R
\def\x{y} \x
\overline{x}
\underline{x}
\overbrace{a}^{n}
\underbrace{a}_{n}
\overrightarrow{AB}
\overleftrightarrow{AB}
\widehat{x}
\widetilde{x}
\vec{x}
\dot{x}
\ddot{x}
\stackrel{a}{=}
\overset{a}{=}
\underset{a}{=}
\xrightarrow{a}
\xleftarrow[b]{a}
\xRightarrow{a}
\substack{a\\b}
\binom{n}{k}
\dbinom{n}{k}
\tbinom{n}{k}
\cfrac{1}{2}
{n \choose k}
{a \over b}
\genfrac{}{}{0pt}{}{a}{b}
\bigl( x \bigr)
\Bigg[ x \Bigg]
\lvert x \rvert
\lVert x \rVert
\norm{x}
\abs{x}
\langle x \rangle
\lceil x \rceil
\mathop{\rm a}
\rm{a}
\bf{a}
\color{red}{x}
\colorbox{red}{x}
\textcolor{red}{x}
\htmlClass{a}{x}
\href{https://a.b}{x}
\url{a}
\phantom{x}
\hphantom{x}
\smash{x}
\rlap{x}
\hspace{1em}
\hskip 1em
\quad x \qquad
\!x
\,x
\;x
\:x
\sum\limits_{i}
\sum\nolimits_i
\iint
\oint
\oiint
\therefore
\because
\implies
\iff
\impliedby
\land
\lor
\lnot
\neg
\emptyset
\varnothing
\N
\R
\Z
\Complex
\dd x
\dv{y}{x}
\pdv{y}{x}
\bra{x}
\ket{x}
\braket{x}
\checkmark
\square
\blacksquare
\qed
\dagger
\hbar
\ell
\Re
\Im
\aleph
\angle
\measuredangle
\parallel
\perp
\nmid
\mid
\coloneqq
\triangleq
\begin{multline*} a \\ b \end{multline*}
\begin{bsmallmatrix} a & b \end{bsmallmatrix}
\begin{array}{cc} \multicolumn{2}{c}{a} \\ b & c \end{array}
\llbracket x \rrbracket
\commutator{A}{B}
\anticommutator{A}{B}
\outerproduct{a}{b}
\widebar{x}
\xrightharpoonup{a}
\xtofrom{a}
\hdots
\adots
\idotsint
\cosec x
\sh x
\ch{H2O}
\operatornamewithlimits{argmax}_x
\textdollar 5
\textasciicircum
\textbraceleft x \textbraceright
\cmark \xmark
\cite{a}
\cref{eq:1}
\mspace{3mu}x
\par x
\parbox{2cm}{a}
\makebox[2cm]{a}
\shortstack{a\\b}
\Cal{L}
{\em x}
\splitfrac{a}{b}
\sqrt[\leftroot{2}\uproot{2}3]{x}
\xfrac{1}{2}
\faktor{A}{B}
\scalebox{2}{x}
\resizebox{1cm}{!}{x}
\textsuperscript{2}
\footnotesize x
\SIlist{1;2}{m}
\longdiv{x}
\definecolor{a}{rgb}{1,0,0} x
\iid
\K
\lesssim
\gtrsim
\ll
\gg
\leqslant
\geqslant
\nleq
\subseteq
\subsetneq
\nsubseteq
\uparrow
\upuparrows
\leftrightarrows
\rightleftharpoons
\longrightarrow
\mapsto
\longmapsto
\hookrightarrow
\twoheadrightarrow
\circlearrowleft
\dots
\cdots
\ldots
\ddots
\vdots
\dotsc
\bmod n
\pmod{n}
\pod{n}
\mod n
\gcd
\argmax
\argmin
\lim_{x\to0}
\limsup
\varlimsup
\injlim
\Pr
\textdegree
\text{\$5}
\text{a $x$ b}
\%
\&
\#
\_
\{x\}
\copyright
\pounds
\yen
€
\euro
\S
\P
\LaTeX
\TeX
\not=
\not\in
\notin
\prime
x''
x^\prime
x^*
\sqrt[3]{x}
\surd
\imath
\jmath
\tfrac12
\frac12
\frac{\mathrm{d}y}{\mathrm{d}x}
\displaystyle x
\textstyle x
\scriptstyle x
\mathclap{x}
\mathstrut
\nonumber
\notag
\ensuremath{x}
\raisebox{1em}{x}
\rule{1em}{1em}
\mathbb{1}
\mathbb{A}
\unicode{x41}
\char"41
\begin{pmatrix}a&b\\c&d\end{pmatrix}
\begin{bmatrix}a\end{bmatrix}
\begin{vmatrix}a\end{vmatrix}
\begin{smallmatrix}a\end{smallmatrix}
\begin{array}{c|c}a&b\\\hline c&d\end{array}
\begin{aligned}a&=b\end{aligned}
\begin{align}a&=b\end{align}
\begin{gather}a\\b\end{gather}
\begin{gathered}a\\b\end{gathered}
\begin{split}a&=b\end{split}
\begin{equation}a\end{equation}
\begin{equation*}a\end{equation*}
\begin{multline}a\\b\end{multline}
\begin{eqnarray}a&=&b\end{eqnarray}
\begin{cases}a&b\end{cases}
\begin{dcases}a&b\end{dcases}
\begin{rcases}a\end{rcases}
\begin{CD}A@>a>>B\end{CD}
\begin{alignat}{2}a&=b\end{alignat}
\begin{alignedat}{2}a&=b\end{alignedat}
\begin{subarray}{c}a\\b\end{subarray}
"#;
