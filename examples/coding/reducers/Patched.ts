/**
 * Applies a patch to files. Each of its hunks has found the lines that it keeps and removes, and has left those that
 * it keeps and adds.
 */
import type { Call, Changes } from "../World.ts"

type Args = string | { readonly input?: string; readonly patch?: string }

export default ({ args, observed, world }: Call<Args>): Changes => {
  const patch = typeof args === "string" ? args : (args.input ?? args.patch ?? "")
  if (typeof observed === "string" && /^(?:error|apply_patch verification failed|failed)/i.test(observed)) return {}
  let { files, parts } = world
  const [, ...sections] = patch.split(/^\*\*\* (?=(?:Add|Update|Delete) File: )/m)
  for (const section of sections) {
    const [head = "", ...rest] = section.split("\n")
    const path = head.slice(head.indexOf(":") + 1).trim()
    const lines = rest.filter((line) => !line.startsWith("***"))
    if (head.startsWith("Update")) {
      for (const hunk of lines.join("\n").split(/^@@.*\n?/m)) {
        const changed = hunk.split("\n").filter((line) => /^[ +-]/.test(line))
        const side = (sign: string) => changed.filter((line) => line[0] !== sign).map((line) => line.slice(1))
        const [old, text] = [side("+").join("\n"), side("-").join("\n")]
        if (changed.length === 0) continue
        const before = files.get(path)?.content
        const at = before?.indexOf(old) ?? -1
        if (before !== undefined && at >= 0) {
          files = files.set(path, { content: `${before.slice(0, at)}${text}${before.slice(at + old.length)}` })
        } else {
          const found = new Set(old.split("\n").filter((line) => line.trim() !== ""))
          const kept = (parts.get(path)?.texts ?? []).filter(
            (each) => !each.split("\n").some((line) => found.has(line))
          )
          files = files.delete(path)
          parts = parts.set(path, { texts: [text, ...kept].slice(0, 50) })
        }
      }
      continue
    }
    parts = parts.delete(path)
    const content = `${lines
      .filter((line) => line.startsWith("+"))
      .map((line) => line.slice(1))
      .join("\n")}\n`
    files = head.startsWith("Add") ? files.set(path, { content }) : files.delete(path)
  }
  return { world: { files, parts } }
}
