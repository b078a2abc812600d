//! Bytes that grow at their end, in memory or in a file.

use std::io;
#[cfg(feature = "files")]
use std::{
    fs::{File, OpenOptions},
    io::{Read, Seek, SeekFrom, Write},
    path::Path,
};

/// Bytes that are appended and read again.
#[derive(Debug)]
pub(super) enum Blob {
    Memory(Vec<u8>),
    #[cfg(feature = "files")]
    File {
        file: File,
        len: u64,
    },
}

impl Blob {
    /// The first `len` bytes of a file, which is created if it is missing. What follows is cut.
    #[cfg(feature = "files")]
    pub(super) fn in_file(path: &Path, len: u64) -> io::Result<Blob> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        if file.metadata()?.len() < len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        file.set_len(len)?;
        Ok(Blob::File { file, len })
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Blob::Memory(bytes) => bytes.len() as u64,
            #[cfg(feature = "files")]
            Blob::File { len, .. } => *len,
        }
    }

    /// Appends bytes and returns where they begin.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<u64> {
        let offset = self.len();
        match self {
            Blob::Memory(all) => all.extend_from_slice(bytes),
            #[cfg(feature = "files")]
            Blob::File { file, len } => {
                file.seek(SeekFrom::Start(offset))?;
                file.write_all(bytes)?;
                *len += bytes.len() as u64;
            }
        }
        Ok(offset)
    }

    /// A copy of some of the bytes.
    pub(super) fn read(&self, offset: u64, len: u64) -> io::Result<Vec<u8>> {
        match self {
            Blob::Memory(bytes) => Ok(bytes[offset as usize..(offset + len) as usize].to_vec()),
            #[cfg(feature = "files")]
            Blob::File { file, .. } => {
                let mut file = file;
                let mut bytes = vec![0; len as usize];
                file.seek(SeekFrom::Start(offset))?;
                file.read_exact(&mut bytes)?;
                Ok(bytes)
            }
        }
    }

    /// Waits until everything is on the disk.
    #[cfg(feature = "files")]
    pub(super) fn sync(&self) -> io::Result<()> {
        match self {
            Blob::Memory(_) => Ok(()),
            Blob::File { file, .. } => file.sync_data(),
        }
    }
}
