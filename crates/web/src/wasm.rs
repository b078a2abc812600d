//! The exports of the WebAssembly module, and the clock that it imports. `web/wasm.js` is the other
//! side.
//!
//! 1. The page asks for room with [`alloc`] and writes the request (and the data) into it.
//! 2. [`call`] carries it out and returns the length of the answer.
//! 3. [`answer`] says where the answer is, [`data`] and [`data_len`] where the binary result is.
//!    Both stay until the next call.

#![allow(unsafe_code)]

use std::cell::RefCell;
use std::time::Duration;

use lab2048::Clock;

use crate::Host;

#[link(wasm_import_module = "env")]
unsafe extern "C" {
    /// The milliseconds since some fixed moment.
    safe fn now() -> f64;
    /// Takes the message of a panic, before the module stops for good.
    fn panicked(message: *const u8, len: usize);
}

thread_local! {
    static HOST: RefCell<Host> =
        RefCell::new(new_host());
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

fn new_host() -> Host {
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.to_string();
        // SAFETY: the message lives until the page has read it.
        unsafe { panicked(message.as_ptr(), message.len()) };
    }));
    Host::with_clock(Clock::new(|| Duration::from_secs_f64(now().max(0.0) / 1e3)))
}

/// Room for `len` bytes, which the caller fills and [`call`] or [`free`] takes back.
#[unsafe(no_mangle)]
extern "C" fn alloc(len: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; len].into_boxed_slice()).cast()
}

/// Takes back room.
///
/// # Safety
/// `start` and `len` are those of a call of [`alloc`] whose room has not been taken back.
#[unsafe(no_mangle)]
unsafe extern "C" fn free(start: *mut u8, len: usize) {
    drop(unsafe { taken(start, len) });
}

/// # Safety
/// Like [`free`].
unsafe fn taken(start: *mut u8, len: usize) -> Box<[u8]> {
    // SAFETY: the caller passes what `alloc` returned, once.
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, len)) }
}

/// Carries out the request in the room at `start`, with the data at `data`, if it is not null. The
/// data is taken back, the room of the request is not. Returns the length of the answer.
///
/// # Safety
/// Both rooms come from [`alloc`] and have not been taken back.
#[unsafe(no_mangle)]
unsafe extern "C" fn call(start: *const u8, len: usize, data: *mut u8, data_len: usize) -> usize {
    // SAFETY: the caller filled the room and does not change it during the call.
    let request = unsafe { std::slice::from_raw_parts(start, len) };
    // SAFETY: see above.
    let data = (!data.is_null()).then(|| unsafe { taken(data, data_len) });
    let text = HOST.with_borrow_mut(|host| host.call(request, data.as_deref()));
    ANSWER.with_borrow_mut(|answer| {
        *answer = text;
        answer.len()
    })
}

/// Where the last answer is.
#[unsafe(no_mangle)]
extern "C" fn answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// Where the binary result of the last call is.
#[unsafe(no_mangle)]
extern "C" fn data() -> *const u8 {
    HOST.with_borrow(|host| host.data().as_ptr())
}

/// The length of the binary result.
#[unsafe(no_mangle)]
extern "C" fn data_len() -> usize {
    HOST.with_borrow(|host| host.data().len())
}
