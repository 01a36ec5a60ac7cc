/**
 * What is wrong with a file, in words: the system's codes are for programs.
 *
 * @since 0.1.0
 */

const known: Readonly<Record<string, string>> = {
  EACCES: "it is not permitted",
  EEXIST: "a file of that name is there",
  EISDIR: "it is a folder",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "its name is too long",
  ENOENT: "there is no such file or folder",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is no folder",
  EPERM: "it is not permitted",
  EROFS: "the disk can only be read"
}

/**
 * Says why a file could not be read or written.
 *
 * @category conversions
 * @since 0.1.0
 */
export const say = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : ""
  // So Node answers where a folder cannot be made on a disk that can only be read.
  if (code === "ENOENT" && "syscall" in cause && cause.syscall === "mkdir") return "its folder cannot be made there"
  return known[code] ?? cause.message
}
