//! Evolved programs: a valid one can be written and read again unchanged, everything else is
//! refused with one line.
#![no_main]

use lab2048::evolve::Program;
use lab2048_fuzz::assert_one_line;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match text.parse::<Program>() {
        Ok(program) => assert_eq!(program.to_string().parse::<Program>().as_ref(), Ok(&program)),
        Err(error) => assert_one_line(error),
    }
});
