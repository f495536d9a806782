// Documents for tests, made here.

import type { MediaFile } from "./media.ts";

/** A PDF file with a line of text on each page. */
export function pdf(name: string, pages: readonly string[]): MediaFile {
  const numbers = pages.map((_, index) => 4 + 2 * index);
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${numbers.map((number) => `${number} 0 R`).join(" ")}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  for (const [index, text] of pages.entries()) {
    const content = text && `BT /F 12 Tf 50 700 Td (${text}) Tj ET`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${numbers[index]! + 1} 0 R /Resources << /Font << /F 3 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    );
  }
  let file = "%PDF-1.7\n";
  const places = objects.map((object, index) => {
    const place = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const entry = (place: number) => `${String(place).padStart(10, "0")} 00000 n \n`;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.map(entry).join("")}`;
  const start = file.lastIndexOf("xref\n0 ");
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF`;
  return { name, mimeType: "application/pdf", buffer: Buffer.from(file, "latin1") };
}

/** A text file. */
export function text(name: string, content: string, mimeType = "text/plain"): MediaFile {
  return { name, mimeType, buffer: Buffer.from(content) };
}
