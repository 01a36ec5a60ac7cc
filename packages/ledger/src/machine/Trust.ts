/**
 * The trust in the evidence for an outcome, as a level from 0 to 4. Only {@link of} decides a level.
 *
 * **Details**
 *
 * Level 4 is state of level 3 that is bound to a complete ledger entry, its approval, key and versions, and to a chain
 * that is anchored outside of the store. It is computed against such an anchor, and no trace holds it.
 *
 * @source Action Verification, "Observation Trust Ladder"
 */

/** A level of trust. */
export type Trust = 0 | 1 | 2 | 3 | 4

/**
 * The evidence for an outcome.
 *
 * **Details**
 *
 * `none`: no answer, or one that is not of its declared form. `word`: the statement of a tool, a person or a
 * recording, and a record that settles nothing. `record`: the record of the system, or its status by key, read
 * independently. `confirmed`: authoritative state that meets the predicates of its contract.
 */
export type EvidenceKind = "none" | "word" | "record" | "confirmed"

const levels: { readonly [Each in EvidenceKind]: Trust } = { none: 0, word: 1, record: 2, confirmed: 3 }

/**
 * Decides the level that evidence reaches. A confirmation is trusted like a record if fewer sources or checks than
 * the class of the tool needs made it.
 */
export const of = (evidence: EvidenceKind, made: { readonly isEnough: boolean } = { isEnough: true }): Trust =>
  levels[evidence === "confirmed" && !made.isEnough ? "record" : evidence]

/** Level from which an undoing counts: the system of record was asked, by key or by name. */
export const verified: Trust = of("record")

/** Level from which a result is believed, and may be reported as a success. */
export const believable: Trust = of("confirmed")
