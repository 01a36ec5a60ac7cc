export * as Pattern from "./Pattern.ts"
export * as VerificationPattern from "./VerificationPattern.ts"
