/** The words of stores in English. */
import type { StoreWords } from "../../said/StoreWords.ts"

/** The sentences about stores. */
export const stores: StoreWords = {
  secrets: {
    same: "it is the one that the store knows",
    another: "the store knows another one",
    missing: "there is none, and the store knows one",
    unvouched: "the store holds keys, and does not know whether they are derived from it",
    unknown: "the store knows none yet"
  },
  secretReplaced: "earlier acts are no longer recognised",
  keysUnderived: (runs) => `what these runs have done is not recognised, and they may go on: ${runs.join(", ")}`,
  sharing: (runs) =>
    `${runs.join(", ")} | acts of these runs have equal values. While those are known, so are the erased ones: erase them too`,
  nothingSealed: "no value that was named is sealed here, or all were erased before",
  erasureStopped: "an earlier erasure deleted its keys and was stopped. Until it is finished, files may contain them",
  erasureFinished: "no file of the store contains what an earlier erasure deleted",
  undeclared: (types) => `${types.join(", ")} are declared elsewhere: nothing here checks them`,
  index: {
    differs: ({ index, name, namespace, traces }) =>
      `${namespace} "${name}" is held by ${traces}, and the index says ${index}`,
    remedy: "Export the runs and import them into a new store: the index is made from them"
  }
}
