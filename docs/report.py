#!/usr/bin/env python3
"""Makes the PDF of the report from its text.

    docs/report.py                 writes docs/report.pdf
    docs/report.py --check         fails unless that file is there, is made from this text and has one or two pages

Needs the packages fpdf2, markdown and pypdf.
"""

import sys
from datetime import datetime, timezone
from io import BytesIO
from pathlib import Path

from fpdf import FPDF, FontFace, TextStyle
from markdown import markdown
from pypdf import PdfReader

TEXT = Path(__file__).with_name("report.md")
PDF = TEXT.with_suffix(".pdf")
FONT_SIZE = 11
MARGIN_MM = 22


def made():
    """The bytes of the PDF; the same text always gives the same ones."""
    pdf = FPDF(format="A4")
    pdf.set_creation_date(datetime(2026, 1, 1, tzinfo=timezone.utc))
    pdf.set_margin(MARGIN_MM)
    pdf.add_page()
    pdf.set_font("Times", size=FONT_SIZE)
    styles = {
        "h1": TextStyle(font_family="Times", font_style="B", font_size_pt=15, color=0, t_margin=0, b_margin=2),
        "h2": TextStyle(font_family="Times", font_style="B", font_size_pt=12, color=0, t_margin=3, b_margin=1),
        "li": TextStyle(font_family="Times", font_size_pt=FONT_SIZE, color=0, l_margin=4, t_margin=0.6),
        "code": FontFace(family="Courier", size_pt=FONT_SIZE),
    }
    pdf.write_html(markdown(TEXT.read_text()), tag_styles=styles, li_prefix_color=(0, 0, 0))
    return bytes(pdf.output())


def main():
    new = made()
    if "--check" not in sys.argv[1:]:
        PDF.write_bytes(new)
        return
    words = lambda pages: " ".join(page.extract_text() for page in pages).split()
    pages, old_pages = PdfReader(BytesIO(new)).pages, PdfReader(PDF).pages
    if words(pages) != words(old_pages):
        sys.exit("docs/report.pdf is not made from docs/report.md: run docs/report.py")
    if not 1 <= len(old_pages) <= 2:
        sys.exit(f"docs/report.pdf has {len(old_pages)} pages; the course allows two")


if __name__ == "__main__":
    main()
