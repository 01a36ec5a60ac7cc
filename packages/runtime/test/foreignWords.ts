/** Sentences of ours that are left in what people are told with a lexicon of marks. */
import * as English from "@backstitch/wording/English"
import * as PseudoWords from "@backstitch/wording/PseudoWords"

/** A lexicon in which every text is a mark. */
export const marks = PseudoWords.of(English.words)

/** Texts of a value. */
export const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/**
 * Two words with a space between them, in texts that are not known otherwise. A word begins where no letter precedes
 * it: else a long run of letters, such as a key, would be searched from each of its letters.
 */
export const sentencesIn = (value: unknown, known: string): ReadonlyArray<string> =>
  textsIn(value).flatMap((text) =>
    (PseudoWords.unmarked(text).match(/(?<![A-Za-z])[A-Za-z]{2,}[,:;]? [a-z]{2,}/g) ?? []).flatMap((found) =>
      known.includes(found) ? [] : [`${found} in ${text}`]
    )
  )
