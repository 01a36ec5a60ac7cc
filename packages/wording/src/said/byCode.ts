/** The words for a union of typed facts: a function for each code of the union. */

/** A function for each code of a union of typed facts. */
export type ByCode<Fact extends { readonly code: string }, Answer = string> = {
  readonly [C in Fact["code"]]: (fact: Fact & { readonly code: C }) => Answer
}
