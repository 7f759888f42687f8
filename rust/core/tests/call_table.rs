//! The table of `DESIGN.md` 4.2, as it stands there, against `CallPhase::on`.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop at the first surprise")]

use transcodec_core::stream::turn::{CallAction, CallEvent, CallPhase};

const DESIGN: &str = include_str!("../../../DESIGN.md");

/// Cells of the table's rows, without its two lines of heads.
fn rows() -> Vec<[&'static str; 4]> {
    let (_, section) = DESIGN.split_once("\n### 4.2 Calls\n").unwrap();
    let lines = section.lines().skip_while(|line| !line.starts_with('|'));
    let rows = lines.take_while(|line| line.starts_with('|')).skip(2);
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        cells.try_into().unwrap_or_else(|_| panic!("not four cells: {line}"))
    })
    .collect()
}

fn phase_named(words: &str) -> CallPhase {
    let found = CallPhase::ALL.into_iter().find(|phase| {
        let name = format!("{phase:?}").to_lowercase();
        words.starts_with(&name)
    });
    found.unwrap_or_else(|| panic!("no such phase: {words}"))
}

/// What the words of a cell ask for.
fn action_of(cell: &str) -> CallAction {
    match cell {
        "nothing" | "nothing (metadata once)" => CallAction::Ignore,
        "held" => CallAction::Hold,
        "sent" => CallAction::Send,
        "→ open: opening chunk, then the held text" => CallAction::Announce,
        "held while the text so far is `{` or `{}`, else sent → streaming" => {
            CallAction::SendUnlessPlaceholder
        }
        "held text is sent; no text at all: `{}` is sent; → closed" => CallAction::FlushAndClose,
        "→ closed" => CallAction::Close,
        "dropped, loss `delta.after_close`" => CallAction::Report,
        cell if cell.starts_with("id: item id, else derived; without a name: dropped, ") => {
            CallAction::AnnounceAndClose
        }
        other => panic!("the design says something new: {other}"),
    }
}

#[test]
fn the_core_does_what_the_design_says() {
    let rows = rows();
    assert_eq!(rows.len(), CallPhase::ALL.len());
    for [phase, named, text, close] in rows {
        let phase = phase_named(phase);
        // The columns stand in the order of the events.
        for (event, cell) in CallEvent::ALL.into_iter().zip([named, text, close]) {
            let next = cell.split_once("→ ").map_or(phase, |(_, next)| phase_named(next));
            assert_eq!(phase.on(event), (action_of(cell), next), "{phase:?}, {event:?}: {cell}");
        }
    }
}

#[test]
fn the_columns_are_the_events() {
    let heads = DESIGN.lines().find(|line| line.starts_with("| phase | `Open`")).unwrap();
    assert_eq!(
        heads,
        "| phase | `Open` / `Whole` brings name and call id | text arrives | `Close`, `Finish` |"
    );
    assert_eq!(CallEvent::ALL, [CallEvent::Named, CallEvent::Text, CallEvent::Close]);
}
