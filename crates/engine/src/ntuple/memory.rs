//! Large zeroed memory for the tables, in huge pages where the system has them.
//!
//! A move reads hundreds of weights all over tables of a gigabyte. With pages of 4 KB nearly every
//! read misses the processor's address cache too; with pages of 2 MB hardly one does. Without the
//! feature `files` the memory comes from the heap.

use std::io;
#[cfg(feature = "train")]
use std::sync::atomic::AtomicU32;

#[cfg(feature = "files")]
type Bytes = memmap2::MmapMut;
#[cfg(not(feature = "files"))]
type Bytes = Vec<u8>;

/// Zeroed memory.
fn zeroed(bytes: usize) -> io::Result<Bytes> {
    #[cfg(feature = "files")]
    return Bytes::map_anon(bytes.max(1));
    #[cfg(not(feature = "files"))]
    {
        let mut memory = Bytes::new();
        memory.try_reserve_exact(bytes).map_err(|_| io::ErrorKind::OutOfMemory)?;
        memory.resize(bytes, 0);
        Ok(memory)
    }
}

/// Words shared by threads, all zero at first. Pages that are never written take no memory.
#[cfg(feature = "train")]
#[derive(Debug)]
pub(crate) struct SharedWords {
    map: Bytes,
    len: usize,
}

#[cfg(feature = "train")]
impl SharedWords {
    pub(crate) fn zeroed(len: usize) -> io::Result<SharedWords> {
        let bytes = len.checked_mul(4).ok_or(io::ErrorKind::OutOfMemory)?;
        let map = zeroed(bytes)?;
        advise_huge_pages(&map, 0, bytes);
        Ok(SharedWords { map, len })
    }

    /// The words.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn as_slice(&self) -> &[AtomicU32] {
        // SAFETY: the map is `4 * len` bytes long, page-aligned, zeroed (a valid AtomicU32), owned by `self` and never
        // handed out in any other way, so all access for the life of `&self` is through these atomics. There is no safe
        // way to memory in huge pages.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast::<AtomicU32>(), self.len) }
    }
}

/// A whole number of 16 bits as its bytes, so that memory from the system is a list of them as it is.
pub(crate) type Short = [u8; 2];

/// Numbers of 16 bits, all zero at first. Memory where all of them stay zero is hardly used.
#[derive(Debug)]
pub(crate) struct Shorts {
    map: Bytes,
    len: usize,
}

impl Shorts {
    pub(crate) fn zeroed(len: usize) -> io::Result<Shorts> {
        let bytes = len.checked_mul(2).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Shorts { map: zeroed(bytes)?, len })
    }

    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[Short] {
        &self.map.as_chunks().0[..self.len]
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [Short] {
        &mut self.map.as_chunks_mut().0[..self.len]
    }

    /// Gets ready for numbers at the places that are noted: huge pages where many of the small pages in one will be used,
    /// small ones where few are.
    pub(crate) fn expect(&self, note: impl FnOnce(&mut Pages)) {
        let start = self.map.as_ptr().addr() % Pages::HUGE;
        let count = (start + self.map.len()).div_ceil(Pages::HUGE) * Pages::SMALL_IN_HUGE;
        let mut pages = Pages { start, used: vec![false; count] };
        note(&mut pages);
        for (number, small) in pages.used.chunks(Pages::SMALL_IN_HUGE).enumerate() {
            let from = (number * Pages::HUGE).saturating_sub(start);
            let to = ((number + 1) * Pages::HUGE - start).min(self.map.len());
            if 3 * small.iter().filter(|&&used| used).count() > small.len() {
                advise_huge_pages(&self.map, from, to - from);
            }
        }
    }
}

/// The pages of memory that will be used.
pub(crate) struct Pages {
    /// Where the memory starts within a huge page.
    start: usize,
    used: Vec<bool>,
}

impl Pages {
    const SMALL: usize = 4096;
    const SMALL_IN_HUGE: usize = 512;
    const HUGE: usize = Self::SMALL * Self::SMALL_IN_HUGE;

    /// Notes that the page of a place is used.
    #[inline(always)]
    pub(crate) fn note(&mut self, place: usize) {
        self.used[(self.start + size_of::<Short>() * place) / Self::SMALL] = true;
    }
}

/// Asks for huge pages in a part of the memory. Where there are none, small ones do.
fn advise_huge_pages(map: &Bytes, from: usize, len: usize) {
    #[cfg(all(feature = "files", target_os = "linux"))]
    let _ = map.advise_range(memmap2::Advice::HugePage, from, len);
    #[cfg(not(all(feature = "files", target_os = "linux")))]
    let _ = (map, from, len);
}

/// Lets go of the memory of bytes that are not needed again soon. They stay what they are: what is part of the program's file comes
/// back from there when it is read. A shipped network is read once; without its file 16 MB less are resident while it plays. Linux does so
/// for whoever owns the program's file or may write to it, and for nobody else.
pub(crate) fn let_go(bytes: &[u8]) {
    #[cfg(all(feature = "files", target_os = "linux"))]
    {
        const PAGE: usize = Pages::SMALL;
        let start = bytes.as_ptr().addr().next_multiple_of(PAGE) - bytes.as_ptr().addr();
        let Some(whole) = bytes.get(start..) else { return };
        let whole = &whole[..whole.len() / PAGE * PAGE];
        // SAFETY: the range is within one slice, and MADV_PAGEOUT is only a hint where pages may be kept: it changes no content, so
        // a reader at any time, here or in another thread, finds the same bytes. An answer of no (an older kernel, larger
        // pages, a file of somebody else) leaves everything as it was.
        #[allow(unsafe_code)]
        unsafe {
            libc::madvise(whole.as_ptr().cast_mut().cast(), whole.len(), libc::MADV_PAGEOUT);
        }
    }
    #[cfg(not(all(feature = "files", target_os = "linux")))]
    let _ = bytes;
}

/// Asks for the memory of a value that will be needed soon, without waiting for it. A place where there is none does no harm.
#[inline(always)]
pub(crate) fn prefetch<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing and changes nothing that a program can see, wherever it points to, and the instruction (SSE) is part of x86-64. There is no
    // safe name for it; it makes training faster by a tenth to a fifth.
    #[allow(unsafe_code)]
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_were_let_go_stay_what_they_are() {
        let bytes: Vec<u8> = (0..5 * Pages::SMALL).map(|place| (place % 251) as u8).collect();
        let copy = bytes.clone();
        for (from, to) in [(0, 0), (7, 9), (1, Pages::SMALL + 3), (5, 4 * Pages::SMALL), (0, bytes.len())] {
            let_go(&bytes[from..to]);
            assert!(bytes == copy, "{from} to {to}");
        }
    }
}
