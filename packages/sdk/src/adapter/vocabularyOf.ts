/** The types of an adapter as a vocabulary. */
import * as Payload from "@backstitch/trace/Payload"
import * as Vocabulary from "@backstitch/trace/Vocabulary"
import type { FactTypes } from "./FactTypes.ts"

/** The vocabulary of some types. Their author is the institution whose program runs the framework. */
export const vocabularyOf = ({ names, namespace, version }: FactTypes): Vocabulary.Vocabulary =>
  Vocabulary.make(namespace, {
    version,
    types: Object.fromEntries(
      names.map((name) => [`${namespace}.${name}`, { authors: ["institution"], payload: Payload.JsonObject }])
    )
  })
