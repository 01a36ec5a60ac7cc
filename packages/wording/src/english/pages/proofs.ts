/** The words of proofs: what a verification finds, why a witness does not cosign, and why a name stays held. */
import type { ProofWords } from "../../said/ProofWords.ts"

const short = (digest: string): string => `${digest.slice(0, 12)}…`

const ofError = ({ message }: { readonly message: string }): string => message

/** Meanings of the HTTP statuses of a witness. */
const statuses: Readonly<Record<number, string>> = {
  400: "as to a request that is malformed",
  403: "as to a log whose key it does not know, or to a wrong signature",
  404: "as to a log that it does not know",
  409: "as another checkpoint came in between: ask again",
  422: "as to a log that has not only grown since it was last cosigned"
}

/** The sentences about proofs. */
export const proofs: ProofWords = {
  fieldMissing: ({ field, names }) =>
    `the state has no field ${field}, so the proof says that there is nothing. ` +
    (names.length === 0 ? "It has no other one there" : `It has ${names.join(", ")}`),
  heldForGood: {
    act: ({ run, tick }) => `the same request was made in ${run}@${tick}`,
    command: ({ run }) => `${run} has carried it out`,
    delivery: ({ run, tick }) => `it was taken in at ${run}@${tick}, and counts once`,
    key: ({ run, tick }) => `what was done is in ${run}@${tick}`,
    run: () => "it is the name of the run",
    turn: ({ run, tick }) => `${run}@${tick} took over what another run did, or undoes what it did itself`
  },
  holder: ({ owner, run, tick }) => `${owner} of ${run} since tick ${tick}`,
  nobody: "nobody",
  redecisions: {
    undecided: () => "it was recorded elsewhere, and no decision of it could be made again",
    older: ({ change, rules }) => `decided under rules ${rules}, which this version no longer has: ${change}`,
    other_secret: ({ place, run }) =>
      `the secret in ${place} is not the one of the keys of run ${run}, and the keys were not compared`,
    keys_underived: ({ keys, place, run, tick }) => {
      const [none, were] =
        keys === 1 ? ["does not derive the one key", "it was"] : [`derives none of the ${keys} keys`, "they were"]
      return (
        `the secret in ${place} ${none} of run ${run} (tick ${tick}${keys === 1 ? "" : " and later"}): the run is of ` +
        `another secret, or ${were} altered. The rest was decided again without keys`
      )
    }
  },
  snapshots: {
    snapshot_broken: ({ message, tick }) => `The snapshot of tick ${tick}: ${message}`,
    snapshot_differs: ({ tick }) => `The snapshot of tick ${tick}: it is not the state that was committed there`
  },
  verification: {
    anchor_differs: ({ anchored, link, stored, tick }) => {
      const found = stored === undefined ? "the run ends before it" : `the store has ${short(stored)} there`
      const rest = anchored === 0 ? "No tick before it is anchored" : `Ticks 1 to ${anchored} are as they were anchored`
      return `Tick ${tick} is anchored with the link ${short(link)}, and ${found}. ${rest}`
    },
    chain_broken: ofError,
    data_broken: ofError,
    head_unknown: ({ link }) =>
      `No tick of the run has the link ${link}. It is another history than the one that head was kept of`,
    head_unreadable: ({ store }) => `The head of the run cannot be read: ${store} is damaged there. Restore a copy`,
    payload_unfit: ofError,
    run_gone: ({ tick }) => `The run is anchored up to tick ${tick}, and is not in the store. Restore it from a copy`,
    source_missing: ofError,
    state_differs: ({ committed, folded, tick }) =>
      `Tick ${tick} folds to state ${short(folded)}, and ${short(committed)} was committed. The bytes are as ` +
      "committed, so they are folded differently here: pack or reducer are not those of the run",
    tick_unreadable: ({ store, tick }) => `Tick ${tick} cannot be read: ${store} is damaged there. Restore a copy`
  },
  witnesses: {
    ahead: ({ cosigned, entries }) =>
      `it has cosigned ${cosigned} entries, and the log has ${entries}: restore it from a copy`,
    refused: ({ status }) => `it answers ${status}, ${statuses[status] ?? "and no cosignature"}`,
    unreachable: ({ cause }) => `it cannot be asked: ${cause}`,
    unreadable: ofError,
    unsigned: () => "its answer holds no cosignature of its key"
  }
}
