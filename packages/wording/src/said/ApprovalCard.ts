/**
 * The card of an approval: everything that a person is shown before they decide about a call, as one document.
 *
 * A terminal, the API and a webhook show the same card. It is for exactly one question, which its digest names: a
 * decision that names the digest counts for nothing else, whatever waits under the same review by then. Sensitive
 * arguments stand in it as they are committed, sealed.
 */
import * as Digest from "@backstitch/trace/Digest"
import * as Schema from "effect/Schema"

/** An argument that differs from the one that a person approved last for the same tool. */
export const Difference = Schema.Struct({
  path: Schema.String,
  approved: Schema.String,
  asked: Schema.String,
  by: Schema.String,
  review: Schema.String
})

/** A thing under which the call was proposed, and that is another one by now. */
export const Move = Schema.Struct({
  /** The pack in force, a field of the state, such as `world.spent`, or a clause of the goal, such as `clause.city`. */
  path: Schema.String,
  asked: Schema.String,
  now: Schema.String
})

/** A change since the question was asked. */
export type Move = typeof Move.Type

/** A clause that the call rests on, and the condition of the call's contract for it, which does not hold. */
export const UnfitClause = Schema.Struct({ clause: Schema.String, condition: Schema.String })

/** A clause of the goal in force with which the call does not agree. */
export type UnfitClause = typeof UnfitClause.Type

/** A step that decides, with the digest of the card that it answers. */
const Answer = Schema.Struct({
  verb: Schema.Literal("decide"),
  as: Schema.Literals(["approved", "denied"]),
  run: Schema.String,
  review: Schema.String,
  needs: Schema.Array(Schema.String),
  digest: Digest.Digest
})

/** The step that starts the call in an emergency, without an approval. */
const BreakGlass = Schema.Struct({ verb: Schema.Literal("resume"), run: Schema.String, breakGlass: Schema.String })

/** A card, as plain JSON. */
export const ApprovalCard = Schema.Struct({
  run: Schema.String,
  review: Schema.String,
  tool: Schema.String,
  /** The arguments that would be sent. `null` where the card is withheld: they are asked for. */
  params: Schema.Json,
  /** `true` if arguments, values and reasons are left out, because the card goes to others than its readers. */
  withheld: Schema.Boolean,
  /** Names the question: the run, the review, the tick, and the binding of the call. */
  digest: Digest.Digest,
  /** The roles of which one has to decide. */
  needs: Schema.Array(Schema.String),
  why: Schema.String,
  /** The reach of a yes, in a sentence. */
  permits: Schema.String,
  /** The time for which a yes counts once it is given; `null` if it does not expire. */
  expiresMillis: Schema.NullOr(Schema.Finite),
  tick: Schema.Finite,
  /** ISO time since which the approval waits. */
  since: Schema.String,
  /** Arguments that differ from those that a person approved last for the same tool. */
  changed: Schema.Array(Difference),
  /** Changes since the question was asked. A yes does not count until all is as it was: the call is asked for again. */
  moved: Schema.Array(Move),
  /** Clauses of the goal that were revised since the question was asked. A yes counts all the same. */
  revised: Schema.Array(Move),
  /** Clauses of the goal that the call does not fit as they are now, by its contract. A yes counts all the same. */
  unfit: Schema.Array(UnfitClause),
  /** The reason why an earlier approval no longer counts; `null` if there was none. */
  before: Schema.NullOr(Schema.String),
  /** The action that was started in an emergency and waits to be accepted; `null` if nothing has begun. */
  after: Schema.NullOr(Schema.String),
  approve: Answer,
  deny: Answer,
  /** `null` if the call may not be started in an emergency. */
  breakGlass: Schema.NullOr(BreakGlass)
}).annotate({ identifier: "ApprovalCard" })

/** The card of one question, read. */
export type ApprovalCard = typeof ApprovalCard.Type

/**
 * Leaves out of a card all that the caller, a tool or a person has written. The digest stays, so that the whole card,
 * once it is asked for, is known to be of the same question.
 */
export const withheld = (self: ApprovalCard): ApprovalCard => ({
  ...self,
  params: null,
  withheld: true,
  why: "",
  changed: [],
  moved: [],
  revised: [],
  unfit: [],
  before: null
})
