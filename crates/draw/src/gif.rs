//! Animated GIF files. Each frame stores only what has changed since the one before.

use std::io::{self, Write};
use std::ops::Range;

use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};

use crate::indexed::Canvas;

/// The transparent colour index: such pixels keep the colour of the frame before.
const UNCHANGED: u8 = 255;

/// Writes frames one after another.
pub struct GifWriter<W: Write> {
    encoder: Encoder<W>,
    /// The visible picture after the last frame.
    shown: Option<Canvas>,
    /// The last frame. It is held back, because the next one may be identical and extend its delay.
    last: Option<Frame<'static>>,
    /// The number of frames written.
    count: u64,
}

impl<W: Write> GifWriter<W> {
    /// Begins a file. `colours` has three bytes per entry.
    pub fn new(out: W, size: (usize, usize), colours: &[u8], forever: bool) -> io::Result<GifWriter<W>> {
        let side =
            |length: usize| u16::try_from(length).map_err(|_| io::Error::other("the picture is too large"));
        let mut encoder = Encoder::new(out, side(size.0)?, side(size.1)?, colours).map_err(failed)?;
        if forever {
            encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
        }
        Ok(GifWriter { encoder, shown: None, last: None, count: 0 })
    }

    /// Shows a picture for this many hundredths of a second.
    pub fn show(&mut self, canvas: &Canvas, hundredths: u16) -> io::Result<()> {
        let all = Changed { columns: 0..canvas.width, rows: 0..canvas.height };
        let changed = match &self.shown {
            None => all,
            Some(before) => match Changed::between(before, canvas) {
                Some(changed) => changed,
                None => {
                    if let Some(last) = &mut self.last {
                        last.delay = last.delay.saturating_add(hundredths);
                    }
                    return Ok(());
                }
            },
        };
        let frame = frame(self.shown.as_ref(), canvas, &changed, hundredths);
        let before = self.last.replace(frame);
        self.shown = Some(canvas.clone());
        self.write(before)
    }

    fn write(&mut self, frame: Option<Frame<'static>>) -> io::Result<()> {
        let Some(frame) = frame else { return Ok(()) };
        self.count += 1;
        self.encoder.write_frame(&frame).map_err(failed)
    }

    /// Writes the end of the file. Returns the number of frames.
    pub fn finish(mut self) -> io::Result<u64> {
        let last = self.last.take();
        self.write(last)?;
        self.encoder.into_inner().map_err(failed)?.flush()?;
        Ok(self.count)
    }
}

/// The rectangle outside of which nothing changes.
struct Changed {
    columns: Range<usize>,
    rows: Range<usize>,
}

impl Changed {
    /// `None` if nothing changes at all.
    fn between(before: &Canvas, after: &Canvas) -> Option<Changed> {
        let width = after.width;
        let lines = before.pixels.chunks_exact(width).zip(after.pixels.chunks_exact(width));
        let mut changed: Option<Changed> = None;
        for (row, (before, after)) in lines.enumerate() {
            let differs = |column: &usize| before[*column] != after[*column];
            let Some(first) = (0..width).find(differs) else { continue };
            let last = (0..width).rev().find(differs).unwrap_or(first) + 1;
            changed = Some(match changed {
                None => Changed { columns: first..last, rows: row..row + 1 },
                Some(Changed { columns, rows }) => Changed {
                    columns: columns.start.min(first)..columns.end.max(last),
                    rows: rows.start..row + 1,
                },
            });
        }
        changed
    }
}

/// The changed part of a picture.
fn frame(before: Option<&Canvas>, canvas: &Canvas, changed: &Changed, hundredths: u16) -> Frame<'static> {
    let Changed { columns, rows } = changed;
    let mut buffer = Vec::with_capacity(columns.len() * rows.len());
    for row in rows.clone() {
        for place in columns.clone().map(|column| row * canvas.width + column) {
            let pixel = canvas.pixels[place];
            let same = before.is_some_and(|before| before.pixels[place] == pixel);
            buffer.push(if same { UNCHANGED } else { pixel });
        }
    }
    // `GifWriter::new` has checked that width and height fit u16.
    Frame {
        delay: hundredths,
        dispose: DisposalMethod::Keep,
        transparent: before.map(|_| UNCHANGED),
        left: columns.start as u16,
        top: rows.start as u16,
        width: columns.len() as u16,
        height: rows.len() as u16,
        buffer: buffer.into(),
        ..Frame::default()
    }
}

fn failed(error: EncodingError) -> io::Error {
    match error {
        EncodingError::Io(error) => error,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frames of a file as a viewer shows them, with their delays.
    fn played(bytes: &[u8]) -> Vec<(Vec<u8>, u16)> {
        let mut decoder = gif::DecodeOptions::new().read_info(bytes).unwrap();
        let width = usize::from(decoder.width());
        let mut seen = vec![0; width * usize::from(decoder.height())];
        let mut pictures = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            for (place, &pixel) in frame.buffer.iter().enumerate() {
                let (row, column) = (place / usize::from(frame.width), place % usize::from(frame.width));
                if Some(pixel) != frame.transparent {
                    seen[(usize::from(frame.top) + row) * width + usize::from(frame.left) + column] = pixel;
                }
            }
            pictures.push((seen.clone(), frame.delay));
        }
        pictures
    }

    #[test]
    fn what_is_shown_is_what_was_drawn() {
        let mut first = Canvas::new(5, 4, 1);
        first.pixels[7] = 2;
        let mut second = first.clone();
        second.pixels[13] = 3;
        second.pixels[7] = 1;
        let mut bytes = Vec::new();
        let mut writer = GifWriter::new(&mut bytes, (5, 4), &[0; 3 * 255], true).unwrap();
        writer.show(&first, 10).unwrap();
        writer.show(&first, 5).unwrap();
        writer.show(&second, 7).unwrap();
        writer.show(&first, 9).unwrap();
        assert_eq!(writer.finish().unwrap(), 3, "an identical picture extends the frame before it");
        let expected = [(first.pixels.clone(), 15), (second.pixels, 7), (first.pixels, 9)];
        assert_eq!(played(&bytes), expected);
    }

    #[test]
    fn only_the_changed_rectangle_is_written() {
        let before = Canvas::new(50, 40, 1);
        let mut after = before.clone();
        after.pixels[10 * 50 + 20] = 2;
        after.pixels[12 * 50 + 18] = 2;
        let changed = Changed::between(&before, &after).unwrap();
        assert_eq!((changed.columns, changed.rows), (18..21, 10..13));
        assert!(Changed::between(&before, &before).is_none());
    }

    #[test]
    fn a_picture_that_no_file_holds_is_refused() {
        let refused = GifWriter::new(Vec::new(), (70_000, 4), &[0; 3], true).err().unwrap();
        assert_eq!(refused.to_string(), "the picture is too large");
    }
}
