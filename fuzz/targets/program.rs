//! Programs of evolution: what is read is written and read back the same, everything else is refused in one line.
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
