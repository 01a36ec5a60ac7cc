/**
 * The words of an audit of a pack: the proof of each tool's effects, the actions that a crash would leave
 * held, and the declarations that make a task cheaper to revise.
 */
import type { Audits } from "../../said/Words.ts"

/** The sentences of an audit. */
export const audits: Audits = {
  advice: {
    identity: () => "declare identity, and idempotency or status: nothing recognises a repetition",
    key_retention: () => "declare times.keyRetention: how long its key is honoured",
    send_within: () => "declare times.sendWithin: until then a request may arrive after its key is forgotten",
    status: () => "declare status: by_key, or let the tool honour the key",
    times: ({ lacks }) => `declare times.${lacks.join(", times.")}: until then "not found" proves nothing`
  },
  compensation: "a compensation alone lets a revision take its calls back at a price",
  inverse: ({ from, to, tool }) => `declare an exact undo for ${tool}: ${from} → ${to}`,
  narrows: "the record of a call decides",
  proofs: {
    accepted_word: (acceptedBy) => `own word, accepted by ${acceptedBy}`,
    none: () => "none: held",
    own_word: () => "own word",
    readback: () => "readback",
    status: () => "status",
    webhook: () => "webhook"
  }
}
