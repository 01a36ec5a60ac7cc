/**
 * Shows a file: as it is, or with numbered lines. A file that was shown whole is known from then on; of any other, the
 * lines that were shown one after another.
 */
import type { Call, Changes } from "../World.ts"

type Args = {
  readonly path?: string
  readonly offset?: number | null
  readonly limit?: number | null
  readonly view_range?: ReadonlyArray<number> | null
}

export default ({ args, observed, world }: Call<Args>): Changes => {
  const { path } = args
  if (path === undefined || typeof observed !== "string" || /^error/i.test(observed)) return {}
  const total = Number(/^\[File: .* \((\d+) lines total\)\]/.exec(observed)?.[1] ?? Number.NaN)
  const isNumbered = Number.isFinite(total) || observed.startsWith("Here's the result of running `cat -n`")
  const [body = "", cut] = observed.split(/\n*(?:\.\.\. \(\d+ more lines not shown|<response clipped>)/)
  const lines: Array<string> = []
  let first = 1
  for (const line of isNumbered ? body.split(/\r?\n/) : []) {
    const [, number, rest] = /^ *(\d+)(?:\t|:)(.*)$/.exec(line) ?? []
    if (rest === undefined) {
      if (lines.length > 0) break
      continue
    }
    if (lines.length === 0) first = Number(number)
    if (Number(number) !== first + lines.length) break
    lines.push(rest)
  }
  const text = isNumbered ? lines.join("\n") : body
  const isAsked = args.offset == null && args.limit == null && args.view_range == null
  const isWhole = cut === undefined && isAsked && first === 1 && !(total !== lines.length && Number.isFinite(total))
  const opened = Number.isFinite(total) ? { opened: path } : {}
  if (isWhole) {
    const known = { files: world.files.set(path, { content: text }), parts: world.parts.delete(path) }
    return { world: { ...known, ...opened } }
  }
  if (text === "") return { world: opened }
  const texts = [text, ...(world.parts.get(path)?.texts ?? [])].slice(0, 50)
  return { world: { parts: world.parts.set(path, { texts }), ...opened } }
}
