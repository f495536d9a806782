"""Makes the PDFs in this folder from known texts: `python make.py FOLDER`.

Needs the Python packages fpdf2, pillow, pycairo, python-docx, reportlab, uharfbuzz and weasyprint, the programs qpdf,
soffice and pdflatex, and the fonts DejaVu, Noto and Noto CJK.
"""

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from random import Random

OUT = Path(sys.argv[1])
DEJAVU = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
NASKH = next(Path("/usr/share/fonts").rglob("NotoNaskhArabic-Regular.ttf"))
TEXT = [
    "The harbour of Larnvik was rebuilt after the flood of 1911. Its northern quay is four hundred metres long, and two cranes stand at the end of it.",
    "Every winter the ferry stops for six weeks, because ice closes the fjord. During that time, letters and medicine come by sledge over the hills.",
    "The council keeps a register of all boats. A boat without a number may not leave the harbour, and its owner pays a fine of ninety crowns.",
    "In spring the fish market opens at five o'clock. Buyers from three valleys arrive with carts, and most of the catch is sold before seven.",
    "A school for pilots was founded in 1954. Its pupils learn to read currents, to splice ropes and to steer by the lights of the outer skerries.",
]
GERMAN = [
    "Die Kündigungsfrist beträgt drei Monate zum Ende eines Quartals. Sie gilt für beide Seiten, außer es liegt ein wichtiger Grund vor.",
    "Der Vermieter übergibt die Wohnung besenrein. Schönheitsreparaturen an Türen, Fenstern und Heizkörpern trägt während der Mietzeit der Mieter.",
]
ARABIC = [
    "أعيد بناء الميناء بعد فيضان عام 1911، ويبلغ طول رصيفه الشمالي أربعمئة متر.",
    "تتوقف العبارة ستة أسابيع كل شتاء لأن الجليد يغلق المضيق.",
]
HEBREW = ["הנמל נבנה מחדש לאחר השיטפון של שנת 1911.", "המעבורת נעצרת לשישה שבועות בכל חורף."]
JAPANESE = "港は千九百十一年の洪水のあとに再建された。北の岸壁は四百メートルある。"


def save(name, lines):
    (OUT / f"{name}.txt").write_text("\n".join(lines))


def reportlab():
    from PIL import Image, ImageDraw, ImageFont
    from reportlab.lib import pdfencrypt
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.pdfbase.ttfonts import TTFont
    from reportlab.pdfgen import canvas
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, SimpleDocTemplate, Table, TableStyle

    styles = getSampleStyleSheet()
    body = styles["BodyText"]
    width, height = A4
    paragraphs = lambda lines: [Paragraph(line, body) for line in lines]
    plain = lambda name, **options: SimpleDocTemplate(str(OUT / f"{name}.pdf"), pagesize=A4, **options)
    drawn = lambda name: canvas.Canvas(str(OUT / f"{name}.pdf"), pagesize=A4)

    story, lines = [], []
    for number, line in enumerate(TEXT, 1):
        story += [Paragraph(f"Chapter {number}", styles["Heading1"]), Paragraph(line, body)]
        lines += [f"Chapter {number}", line]
    plain("rl-plain").build(story)
    save("rl-plain", lines)

    headline = "Annals of the harbour, a headline over both columns"

    def head(page, _):
        page.setFont("Helvetica-Bold", 16)
        page.drawString(56, height - 50, headline)

    columns = BaseDocTemplate(str(OUT / "rl-columns.pdf"), pagesize=A4)
    frames = [Frame(left, 50, 235, height - 120, id=str(left)) for left in (50, 310)]
    columns.addPageTemplates(PageTemplate(frames=frames, onPage=head))
    columns.build(paragraphs(TEXT * 4))
    save("rl-columns", [headline] + TEXT * 4)

    rows = [["Boat", "Owner", "Length", "Built"], ["Alma", "K. Berg", "12 m", "1931"], ["Tern", "O. Lie", "9 m", "1948"],
            ["Petrel", "S. Moe", "15 m", "1962"], ["Skua", "A. Dahl", "7 m", "1970"]]
    table = Table(rows, colWidths=[100] * 4)
    table.setStyle(TableStyle([("GRID", (0, 0), (-1, -1), 0.5, "black")]))
    plain("rl-table").build([Paragraph(TEXT[0], body), table, Paragraph(TEXT[1], body)])
    save("rl-table", [TEXT[0]] + [" ".join(row) for row in rows] + [TEXT[1]])

    open_key, locked_key = (pdfencrypt.StandardEncryption(key, "owner", strength=128) for key in ("", "secret"))
    plain("rl-encrypted-open", encrypt=open_key).build(paragraphs(TEXT))
    save("rl-encrypted-open", TEXT)
    plain("rl-encrypted-locked", encrypt=locked_key).build(paragraphs(TEXT[:1]))

    pdfmetrics.registerFont(TTFont("DejaVu", DEJAVU))
    body.fontName = "DejaVu"
    plain("rl-ttf").build(paragraphs(GERMAN + TEXT))
    save("rl-ttf", GERMAN + TEXT)
    # Neither the font nor its map of characters is in the file.
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))
    body.fontName, body.wordWrap = "HeiseiMin-W3", "CJK"
    plain("rl-cid-japanese").build(paragraphs([JAPANESE]))
    save("rl-cid-japanese", [JAPANESE])

    page = drawn("rl-rotated")
    page.setPageRotation(90)
    page.translate(width, 0)
    page.rotate(90)
    page.setFont("Times-Roman", 12)
    for number, line in enumerate(line for text in TEXT for line in textwrap.wrap(text, 90)):
        page.drawString(60, 500 - 15 * number, line)
    page.save()
    save("rl-rotated", TEXT)

    lines = [line for text in TEXT for line in textwrap.wrap(text, 80)]
    order = list(range(len(lines)))
    Random(7).shuffle(order)
    page = drawn("rl-shuffled")
    for number in order:
        text = page.beginText(60, 780 - 16 * number)
        text.setFont("Helvetica", 11)
        text.setCharSpace(0.4)
        text.textOut(lines[number])
        page.drawText(text)
    page.save()
    save("rl-shuffled", lines)

    scan = Image.new("L", (620, 877), 255)
    for number, line in enumerate(lines):
        ImageDraw.Draw(scan).text((50, 50 + 20 * number), line, font=ImageFont.truetype(DEJAVU, 14), fill=0)
    picture = OUT / "scan.png"
    scan.convert("1").save(picture)
    page = drawn("rl-scanned")
    page.drawImage(str(picture), 0, 0, width, height)
    page.save()
    # As programs write it that recognise text in a scan: invisible.
    page = drawn("rl-ocr")
    page.drawImage(str(picture), 0, 0, width, height)
    for number, line in enumerate(lines):
        text = page.beginText(68, 780 - 19.2 * number)
        text.setTextRenderMode(3)
        text.setFont("Helvetica", 11)
        text.textOut(line)
        page.drawText(text)
    page.save()
    save("rl-ocr", lines)
    os.remove(picture)

    fields = [("Name", "Anna Dahl"), ("Address", "Quay 4, 5003 Larnvik"), ("Boat", "Alma, registered 1931"), ("Fee", "90 crowns"),
              ("Due", "1 March 1990"), ("Paid", "yes, in cash to the harbour master")]
    page = drawn("rl-form")
    page.setFont("Helvetica", 11)
    for number, (label, value) in enumerate(fields):
        page.drawString(60, 760 - 20 * number, label)
        page.drawString(160, 760 - 20 * number, value)
    page.showPage()
    page.showPage()
    page.save()
    save("rl-form", [" ".join(field) for field in fields])

    columns = [textwrap.wrap(" ".join(TEXT[first:] + TEXT[:first]), 34) for first in range(3)]
    page = drawn("rl-three")
    page.setFont("Times-Roman", 9)
    for row in range(max(map(len, columns))):
        for number, column in enumerate(columns):
            if row < len(column):
                page.drawString(50 + 175 * number, 780 - 11 * row, column[row])
    page.save()
    save("rl-three", [line for column in columns for line in column])


def fpdf():
    from fpdf import FPDF

    for name, font, lines in [("fpdf-arabic", NASKH, ARABIC), ("fpdf-hebrew", DEJAVU, HEBREW)]:
        pdf = FPDF()
        pdf.add_page()
        pdf.add_font("font", fname=str(font))
        pdf.set_font("font", size=14)
        pdf.set_text_shaping(True)
        for line in lines:
            pdf.multi_cell(0, 9, line, align="R", new_x="LMARGIN", new_y="NEXT")
        pdf.output(str(OUT / f"{name}.pdf"))
        save(name, lines)


def weasyprint():
    from weasyprint import HTML

    def write(name, html, lines):
        HTML(string=html).write_pdf(OUT / f"{name}.pdf")
        save(name, lines)

    parts = [(f"Part {number}", line) for number, line in enumerate(TEXT * 3, 1)]
    body = "".join(f"<h2>{head}</h2><p>{line}</p>" for head, line in parts)
    style = "body{font-family:'DejaVu Sans';columns:2;text-align:justify;hyphens:none}h1{column-span:all}"
    write("weasy-columns", f"<style>{style}</style><h1>Harbour notes</h1>{body}", ["Harbour notes"] + [text for part in parts for text in part])
    arabic = " ".join(ARABIC)
    write("weasy-arabic", f"<p dir=rtl style=\"font-family:'Noto Naskh Arabic'\">{arabic}</p>", [arabic])
    rows = [["Boat", "Owner", "Remarks"], ["Alma", "K. Berg", "Leaks at the stern and is laid up until the autumn."],
            ["Tern", "O. Lie", "Sold in May to a buyer from the next valley."], ["Petrel", "S. Moe", "New engine of forty horsepower."]]
    cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    table = f"<table border=1 style='border-collapse:collapse;width:100%'>{cells}</table>"
    write("weasy-table", f"<p>{TEXT[2]}</p>{table}<p>{TEXT[3]}</p>", [TEXT[2]] + [" ".join(row) for row in rows] + [TEXT[3]])


def others():
    import cairo
    from docx import Document

    lines = [line for text in GERMAN + TEXT for line in textwrap.wrap(text, 80)]
    surface = cairo.PDFSurface(str(OUT / "cairo-plain.pdf"), 595, 842)
    context = cairo.Context(surface)
    context.select_font_face("DejaVu Serif")
    context.set_font_size(11)
    for number, line in enumerate(lines):
        context.move_to(50, 60 + 15 * number)
        context.show_text(line)
    surface.finish()
    save("cairo-plain", lines)

    document, lines = Document(), ["Harbour notes"]
    document.add_heading(lines[0], 1)
    for number, line in enumerate(TEXT, 1):
        document.add_heading(f"Part {number}", 2)
        document.add_paragraph(line)
        lines += [f"Part {number}", line]
    rows = [["Boat", "Owner", "Built"], ["Alma", "Berg", "1931"], ["Tern", "Lie", "1948"]]
    table = document.add_table(3, 3)
    for row, values in enumerate(rows):
        for column, value in enumerate(values):
            table.cell(row, column).text = value
    document.save(OUT / "office.docx")
    save("office", lines + [" ".join(row) for row in rows])
    subprocess.run(["soffice", "--headless", "--convert-to", "pdf", "--outdir", OUT, OUT / "office.docx"], check=True)
    os.remove(OUT / "office.docx")

    offices = "The office of the fjord is affluent; its staff suffices. Flags fly, and the coffee is offered in baffling flasks."
    text = "\n\n".join(TEXT)
    sections = [("First findings", text), ("Difficult offices", offices), ("Sums", text)]
    source = "".join(f"\\section{{{head}}}\n{text}\n" for head, text in sections)
    source = f"\\documentclass[twocolumn]{{article}}\\begin{{document}}\\title{{Efficient ferries}}\\author{{A. Dahl}}\\date{{}}\\maketitle\n{source}\\end{{document}}"
    (OUT / "tex-type1.tex").write_text(source)
    subprocess.run(["pdflatex", "-interaction=batchmode", "tex-type1.tex"], cwd=OUT, check=True)
    for ending in ("tex", "aux", "log"):
        (OUT / f"tex-type1.{ending}").unlink()
    lines = ["Efficient ferries", "A. Dahl", "1 First findings", *TEXT, "2 Difficult offices", offices, "3 Sums", *TEXT, "1"]
    save("tex-type1", lines)


def changed():
    def qpdf(*arguments):
        subprocess.run(["qpdf", *map(str, arguments)], check=True)

    qpdf("--object-streams=generate", OUT / "rl-ttf.pdf", OUT / "qpdf-objstm.pdf")
    qpdf("--encrypt", "", "owner", "256", "--", "--object-streams=generate", OUT / "rl-plain.pdf", OUT / "qpdf-aes256.pdf")
    plain = (OUT / "rl-plain.pdf").read_bytes()
    (OUT / "damaged-xref.pdf").write_bytes(plain[: plain.rindex(b"xref")])
    for name, source in [("qpdf-objstm", "rl-ttf"), ("qpdf-aes256", "rl-plain"), ("damaged-xref", "rl-plain")]:
        (OUT / f"{name}.txt").write_text((OUT / f"{source}.txt").read_text())
    for name in ("rl-ttf", "rl-plain"):
        for ending in ("pdf", "txt"):
            (OUT / f"{name}.{ending}").unlink()


OUT.mkdir(parents=True, exist_ok=True)
for make in (reportlab, fpdf, weasyprint, others, changed):
    make()
