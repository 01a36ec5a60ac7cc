/**
 * The names of the tools by which an agent uses this world.
 *
 * Every endpoint is one tool; faults are armed and requests are logged by these names.
 */

/** Tools that change the world. */
export const mutations = [
  "book_flight",
  "cancel_flight",
  "book_hotel",
  "cancel_hotel",
  "charge_card",
  "refund_charge",
  "send_confirmation"
] as const

/** Tools that only read it. */
export const reads = [
  "search_flights",
  "search_hotels",
  "get_booking",
  "get_stay",
  "get_charge",
  "get_message",
  "status"
] as const

/** A tool that changes the world. */
export type Mutation = (typeof mutations)[number]

/** A tool that only reads it. */
export type Read = (typeof reads)[number]

/** Any tool. */
export type Tool = Mutation | Read

const mutationNames: ReadonlySet<string> = new Set(mutations)
const readNames: ReadonlySet<string> = new Set(reads)

/** Tells whether a name is a tool that changes the world. */
export const isMutation = (name: string): name is Mutation => mutationNames.has(name)

/** Tells whether a name is a tool that only reads. */
export const isRead = (name: string): name is Read => readNames.has(name)
