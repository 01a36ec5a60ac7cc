/** Prints the modules in which a change most likely begins: `pnpm where "an approval is asked for again"`. */
import * as Places from "./Places.ts"
import * as Repository from "./Repository.ts"

const shown = 6

const words = process.argv.slice(2).join(" ")
const places = Places.make(Repository.read(Repository.root))(words, shown)
if (words === "") {
  console.error('Say what is to be changed, or what is wrong: pnpm where "an approval is asked for again"')
  process.exitCode = 2
} else if (places.length === 0) {
  console.error(`No row of docs/WHERE.md and no header of a module has a word of this: ${words}`)
  process.exitCode = 1
}
for (const { path, text } of places) console.log(`${path}\n    ${firstSentence(text)}`)

/** The text up to its first full stop, as a header may go on for a paragraph. */
function firstSentence(text: string): string {
  return text.split(/(?<=[.])\s/)[0] ?? text
}
