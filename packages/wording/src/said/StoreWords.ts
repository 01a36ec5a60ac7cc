/** The words of stores: whether a secret is theirs, what an erasure reaches, and what a verification of all finds. */

/** The relation of a secret to the one that a store knows. */
export type SecretRelation = "same" | "another" | "missing" | "unvouched" | "unknown"

/** The sentences about stores. */
export interface StoreWords {
  readonly secrets: { readonly [Relation in SecretRelation]: string }
  /** The cost of another secret for a store. */
  readonly secretReplaced: string
  /** Runs with keys that do not derive from a secret that is accepted. */
  readonly keysUnderived: (runs: ReadonlyArray<string>) => string
  /** Values of other runs that are equal to those to be erased, and tell them. */
  readonly sharing: (runs: ReadonlyArray<string>) => string
  readonly nothingSealed: string
  /** An earlier erasure that deleted its keys and did not rewrite the files. */
  readonly erasureStopped: string
  readonly erasureFinished: string
  /** Types of transitions that are declared elsewhere. */
  readonly undeclared: (types: ReadonlyArray<string>) => string
  readonly index: {
    readonly differs: (name: {
      readonly namespace: string
      readonly name: string
      readonly traces: string
      readonly index: string
    }) => string
    /** The way to an index that agrees with the traces. */
    readonly remedy: string
  }
}
