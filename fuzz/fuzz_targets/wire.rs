//! The wire protocol: any bytes, in pieces of any size, are messages or an error; nothing grows.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stockade_core::wire::{Decoder, FRAME_BYTES_MAX, ToHost, encode};

/// Bytes of the input that say how the rest is cut into pieces.
const CUTS: usize = 4;

fuzz_target!(|bytes: &[u8]| {
    let Some((cuts, mut stream)) = bytes.split_first_chunk::<CUTS>() else {
        return;
    };
    let mut decoder = Decoder::default();
    for cut in cuts.iter().cycle() {
        if stream.is_empty() || !drain(&mut decoder) {
            return;
        }
        let space = decoder.space();
        assert!(!space.is_empty());
        let count = (usize::from(*cut) + 1).min(stream.len()).min(space.len());
        let (piece, rest) = stream.split_at(count);
        space[..count].copy_from_slice(piece);
        decoder.filled(count);
        // One whole frame with its length, and what was read with it.
        assert!(decoder.held() <= 2 * (FRAME_BYTES_MAX + 8));
        stream = rest;
    }
});

/// Takes all messages there are. Returns whether the stream can be read on.
fn drain(decoder: &mut Decoder) -> bool {
    loop {
        let held = decoder.held();
        match decoder.next::<ToHost<'_>>() {
            Ok(None) => return true,
            Ok(Some((channel, message))) => {
                let mut again = Vec::new();
                encode(channel, &message, &mut again).expect("what came in a frame fits one");
                let mut other = Decoder::default();
                feed(&mut other, &again);
                assert_eq!(other.next::<ToHost<'_>>(), Ok(Some((channel, message))));
                // Numbers may be written longer than they need, never shorter.
                assert!(again.len() <= held - decoder.held());
            }
            Err(_) => return false,
        }
    }
}

fn feed(decoder: &mut Decoder, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        let space = decoder.space();
        let count = space.len().min(bytes.len());
        let (piece, rest) = bytes.split_at(count);
        space[..count].copy_from_slice(piece);
        decoder.filled(count);
        bytes = rest;
    }
}
