//! Large zeroed memory for the tables, in huge pages if the system has them.
//!
//! A move reads hundreds of weights scattered over a gigabyte of tables. With 4 KB pages nearly
//! every read also misses the TLB. With 2 MB pages almost none does. Without the feature `files`
//! the memory comes from the heap.

use std::io;
use std::ops::Range;
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

/// Words shared by threads, initially zero. Pages that are never written take no memory.
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
        // SAFETY: the map is `4 * len` bytes long, page-aligned and zeroed (a valid AtomicU32).
        // `self` owns it and exposes it only here, so for the life of `&self` all access goes
        // through these atomics. There is no safe interface to huge pages.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast::<AtomicU32>(), self.len) }
    }
}

/// A 16-bit integer as its bytes, so that bytes from the system can be viewed as a slice of them.
pub(crate) type Short = [u8; 2];

/// 16-bit integers, initially zero or those of a file. Regions that stay zero take almost no
/// memory.
#[derive(Debug)]
pub(crate) struct Shorts {
    map: Bytes,
    /// Where the integers begin, in bytes: at a huge page, if there is at least one.
    start: usize,
    end: usize,
}

impl Shorts {
    pub(crate) fn zeroed(len: usize) -> io::Result<Shorts> {
        let bytes = len.checked_mul(2).ok_or(io::ErrorKind::OutOfMemory)?;
        let map = zeroed(bytes)?;
        let off = map.as_ptr().addr() % HUGE_PAGE;
        if cfg!(not(feature = "files")) || bytes < HUGE_PAGE || off == 0 {
            return Ok(Shorts { map, start: 0, end: bytes });
        }
        // Linux aligns large maps only since version 6.7.
        let map = zeroed(bytes.checked_add(HUGE_PAGE).ok_or(io::ErrorKind::OutOfMemory)?)?;
        let start = map.as_ptr().addr().next_multiple_of(HUGE_PAGE) - map.as_ptr().addr();
        Ok(Shorts { map, start, end: start + bytes })
    }

    /// The integers of a file from this byte on, which is a multiple of 4096. The pages with `used`
    /// are loaded at once.
    #[cfg(all(feature = "files", unix))]
    pub(crate) fn mapped(
        file: &std::fs::File,
        at: u64,
        len: usize,
        used: &[Range<usize>],
    ) -> io::Result<Shorts> {
        // SAFETY: the map is private, so writes of this process never reach the file. The caller
        // has verified that the file has these bytes. The program never writes such a file in place
        // and never cuts it: it is written under another name, renamed, and only ever removed. On a
        // local file system a removed file keeps its pages while it is mapped. On a network file
        // system the server may drop it, and a page that is then not in memory raises SIGBUS: the
        // process ends, but no wrong weight is read. There is no safe interface to memory maps.
        #[allow(unsafe_code)]
        let map = unsafe { memmap2::MmapOptions::new().offset(at).len(2 * len).map_copy_read_only(file)? };
        // Without this, the first thought would wait for the pages that it touches.
        #[cfg(target_os = "linux")]
        for bytes in used {
            if map.advise_range(memmap2::Advice::PopulateRead, bytes.start, bytes.len()).is_err() {
                break;
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = used;
        Ok(Shorts { map: map.make_mut()?, start: 0, end: size_of::<Short>() * len })
    }

    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[Short] {
        self.map[self.start..self.end].as_chunks().0
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [Short] {
        self.map[self.start..self.end].as_chunks_mut().0
    }

    /// Copies weights to a place. Only used pages are written.
    pub(crate) fn put(&mut self, place: usize, weights: &[Short], used: &UsedPages) {
        self.expect(place, weights.len(), used);
        let own = self.as_mut_slice()[place..place + weights.len()].as_flattened_mut();
        let weights = weights.as_flattened();
        for run in used.bytes(weights.len()) {
            own[run.clone()].copy_from_slice(&weights[run]);
        }
    }

    /// Requests a huge page for weights that will be written if more than a third of its small
    /// pages will be used.
    pub(crate) fn expect(&self, place: usize, len: usize, used: &UsedPages) {
        if size_of::<Short>() * len >= HUGE_PAGE && 3 * used.count() > len / SHORTS_IN_PAGE {
            advise_huge_pages(&self.map, self.start + size_of::<Short>() * place, size_of::<Short>() * len);
        }
    }
}

/// The size of a page.
pub(crate) const PAGE: usize = 4096;
/// The size of a huge page.
const HUGE_PAGE: usize = PAGE * PAGES_IN_PART;
/// The number of integers in a page.
const SHORTS_IN_PAGE: usize = PAGE / size_of::<Short>();
/// The number of pages in a part of the memory that is filled at once: a huge page.
const PAGES_IN_PART: usize = 512;
/// The number of integers in a part of the memory that is filled at once.
pub(crate) const PART: usize = PAGES_IN_PART * SHORTS_IN_PAGE;

/// Which pages of a part are used: all that are not zero, and short gaps between them. One bit for
/// each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UsedPages([u64; PAGES_IN_PART / 64]);

impl UsedPages {
    /// The size of [`UsedPages::to_bytes`].
    pub(crate) const BYTES: usize = PAGES_IN_PART / 8;

    /// Zero pages between others that count as used if there are fewer of them. A call of the
    /// system costs more than a few zeros.
    const GAP: usize = 4;

    /// The used pages of these weights, at most [`PART`].
    pub(crate) fn of(weights: &[Short]) -> UsedPages {
        let mut used = UsedPages::default();
        let mut unused = Self::GAP;
        for (page, shorts) in weights.chunks(SHORTS_IN_PAGE).enumerate() {
            if shorts.iter().fold(0, |any, short| any | u16::from_le_bytes(*short)) == 0 {
                unused += 1;
                continue;
            }
            let first = if unused < Self::GAP { page - unused } else { page };
            (first..=page).for_each(|page| used.0[page / 64] |= 1 << (page % 64));
            unused = 0;
        }
        // So that the system can keep such a part as one huge page, in a file too.
        if 4 * used.count() > 3 * PAGES_IN_PART {
            used = UsedPages([u64::MAX; PAGES_IN_PART / 64]);
        }
        used
    }

    fn has(&self, page: usize) -> bool {
        self.0[page / 64] >> (page % 64) & 1 == 1
    }

    /// The used bytes of a part of this length, as ranges without gaps.
    pub(crate) fn bytes(self, len: usize) -> impl Iterator<Item = Range<usize>> {
        self.runs().map(move |run| (PAGE * run.start).min(len)..(PAGE * run.end).min(len))
    }

    /// The other bytes of a part of this length.
    pub(crate) fn unused_bytes(self, len: usize) -> impl Iterator<Item = Range<usize>> {
        UsedPages(self.0.map(|pages| !pages)).bytes(len).filter(|run| !run.is_empty())
    }

    fn count(&self) -> usize {
        self.0.iter().map(|bits| bits.count_ones() as usize).sum()
    }

    fn runs(self) -> impl Iterator<Item = Range<usize>> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let start = (next..PAGES_IN_PART).find(|&page| self.has(page))?;
            next = (start..PAGES_IN_PART).find(|&page| !self.has(page)).unwrap_or(PAGES_IN_PART);
            Some(start..next)
        })
    }

    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes.chunks_mut(8).zip(self.0).for_each(|(bytes, bits)| bytes.copy_from_slice(&bits.to_le_bytes()));
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8; Self::BYTES]) -> UsedPages {
        let (words, _) = bytes.as_chunks();
        UsedPages(std::array::from_fn(|word| u64::from_le_bytes(words[word])))
    }
}

/// Where the first data of a file stands, from a place on: what comes before is a hole, which reads
/// as zeros. `None` if the rest is a hole. Where the system does not tell holes, the place itself.
#[cfg(all(feature = "files", unix))]
pub(crate) fn next_data(file: &std::fs::File, from: u64) -> Option<u64> {
    #[cfg(target_os = "linux")]
    if let Ok(place) = libc::off_t::try_from(from) {
        use std::os::fd::AsRawFd;
        // SAFETY: the descriptor is open as long as the file is borrowed. The call only moves the
        // position of the file. There is no safe interface to holes.
        #[allow(unsafe_code)]
        let found = unsafe { libc::lseek(file.as_raw_fd(), place, libc::SEEK_DATA) };
        return match u64::try_from(found) {
            Ok(found) => Some(found),
            Err(_) if io::Error::last_os_error().raw_os_error() == Some(libc::ENXIO) => None,
            Err(_) => Some(from),
        };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = file;
    Some(from)
}

/// Requests huge pages for a part of the memory. If the system has none, small pages are used.
fn advise_huge_pages(map: &Bytes, from: usize, len: usize) {
    #[cfg(all(feature = "files", target_os = "linux"))]
    let _ = map.advise_range(memmap2::Advice::HugePage, from, len);
    #[cfg(not(all(feature = "files", target_os = "linux")))]
    let _ = (map, from, len);
}

/// Tells the system that these bytes are not needed soon. Their content does not change: bytes that
/// belong to the program's file are read from there again on the next access. A shipped network is
/// parsed only once, and paging it out saves 16 MB of resident memory during play. Linux honours
/// this only for users who own the program's file or may write to it.
pub(crate) fn let_go(bytes: &[u8]) {
    #[cfg(all(feature = "files", target_os = "linux"))]
    {
        let start = bytes.as_ptr().addr().next_multiple_of(PAGE) - bytes.as_ptr().addr();
        let Some(whole) = bytes.get(start..) else { return };
        let whole = &whole[..whole.len() / PAGE * PAGE];
        // SAFETY: the range is within one slice. MADV_PAGEOUT is a hint and does not change the
        // content, so all threads read the same bytes as before. If the call fails (older kernel,
        // larger pages, file of another user), nothing happens.
        #[allow(unsafe_code)]
        unsafe {
            libc::madvise(whole.as_ptr().cast_mut().cast(), whole.len(), libc::MADV_PAGEOUT);
        }
    }
    #[cfg(not(all(feature = "files", target_os = "linux")))]
    let _ = bytes;
}

/// Prefetches a value that will be needed soon. An invalid address does no harm.
#[inline(always)]
pub(crate) fn prefetch<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch has no visible effect for any address, and the instruction (SSE) is part
    // of x86-64. There is no safe wrapper. It makes training 10% to 20% faster.
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
    #[allow(clippy::single_range_in_vec_init, reason = "lists of ranges are compared")]
    fn used_pages_are_those_with_weights_and_short_gaps() {
        let runs = |pages: &[usize]| -> Vec<Range<usize>> {
            let mut weights = vec![Short::default(); PART];
            pages.iter().for_each(|page| weights[page * SHORTS_IN_PAGE + page % 7] = [0, 1]);
            let used = UsedPages::of(&weights);
            assert_eq!(UsedPages::from_bytes(&used.to_bytes()), used);
            used.runs().collect()
        };
        assert_eq!(runs(&[]), []);
        assert_eq!(runs(&[0]), [0..1]);
        assert_eq!(runs(&[3, 5, 9, 63, 64, 511]), [3..10, 63..65, 511..512]);
        assert_eq!(runs(&[100, 105]), [100..101, 105..106]);
        assert_eq!(runs(&(0..400).collect::<Vec<_>>()), [0..512], "nearly full");
        let used = UsedPages::of(&[[0, 0], [1, 0]]);
        assert_eq!(used.bytes(4).collect::<Vec<_>>(), [0..4], "shorter than a page");
        assert_eq!(used.unused_bytes(4).collect::<Vec<_>>(), []);
        let others = used.unused_bytes(size_of::<Short>() * PART).collect::<Vec<_>>();
        assert_eq!(others, [PAGE..size_of::<Short>() * PART]);
    }

    /// What is put there is there, wherever the memory begins.
    #[test]
    fn weights_come_back_from_any_part() {
        for (len, place) in [(PART, 0), (4 * PART, 2 * PART), (1 << 16, 0), (16, 0)] {
            let mut shorts = Shorts::zeroed(len).unwrap();
            let part: Vec<Short> = (0..len.min(PART)).map(|number| (number as u16).to_le_bytes()).collect();
            shorts.put(place, &part, &UsedPages::of(&part));
            assert_eq!(shorts.as_slice().len(), len);
            assert!(shorts.as_slice()[place..].starts_with(&part));
            assert!(shorts.as_slice()[..place].iter().all(|short| *short == [0, 0]));
            if len >= PART && cfg!(feature = "files") {
                assert_eq!(shorts.as_slice().as_ptr().addr() % HUGE_PAGE, 0);
            }
        }
    }

    #[test]
    fn bytes_that_were_let_go_stay_what_they_are() {
        let bytes: Vec<u8> = (0..5 * PAGE).map(|place| (place % 251) as u8).collect();
        let copy = bytes.clone();
        for (from, to) in [(0, 0), (7, 9), (1, PAGE + 3), (5, 4 * PAGE), (0, bytes.len())] {
            let_go(&bytes[from..to]);
            assert!(bytes == copy, "{from} to {to}");
        }
    }
}
