/**
 * Writes a file, or replaces a text in one. An edit that succeeded has found its old text, so that its new text is in
 * the file from then on, even if the rest of the file was never shown. An edit that failed tells nothing.
 */
import type { Call, Changes } from "../World.ts"

type Args = {
  readonly path?: string
  readonly command?: string | null
  readonly content?: string | null
  readonly file_text?: string | null
  readonly oldText?: string
  readonly newText?: string
  readonly old_str?: string | null
  readonly new_str?: string | null
  readonly search?: string
  readonly replace?: string
}

export default ({ args, observed, world }: Call<Args>): Changes => {
  const path = args.path ?? world.opened
  const answer = typeof observed === "string" ? observed : ""
  if (path === "" || /^(?:error|no replacement|your proposed edit|text not found)|did not appear/i.test(answer))
    return {}
  const { files, parts } = world
  const whole = args.command === "create" ? (args.file_text ?? args.content) : args.content
  const old = args.oldText ?? args.old_str ?? args.search
  if (typeof whole === "string" && whole !== "" && typeof old !== "string") {
    return { world: { files: files.set(path, { content: whole }), parts: parts.delete(path) } }
  }
  const text = args.newText ?? args.new_str ?? args.replace ?? ""
  if (typeof old !== "string" || old === "") {
    // An insertion may have parted any text that was known.
    if (args.command !== "insert") return {}
    return { world: { files: files.delete(path), parts: parts.set(path, { texts: [text] }) } }
  }
  const before = files.get(path)?.content
  if (before?.includes(old)) {
    const at = before.indexOf(old)
    const content = `${before.slice(0, at)}${text}${before.slice(at + old.length)}`
    return { world: { files: files.set(path, { content }) } }
  }
  const found = new Set(old.split("\n").filter((line) => line.trim() !== ""))
  const texts: Array<string> = [text]
  for (const each of parts.get(path)?.texts ?? []) {
    const at = each.indexOf(old)
    if (at >= 0) texts.push(`${each.slice(0, at)}${text}${each.slice(at + old.length)}`)
    else if (!each.split("\n").some((line) => found.has(line))) texts.push(each)
  }
  return { world: { files: files.delete(path), parts: parts.set(path, { texts: texts.slice(0, 50) }) } }
}
