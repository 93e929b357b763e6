/** Returns SQL that says whether what was decided by this version of the configuration may still have an effect. */
export const isUnfenced = (version: string) => `(SELECT fenced <= ${version} FROM config_head)`

/** Why something is refused that was decided by a version which a change has fenced off. */
export const fencedOff = 'The configuration has changed, and this service has not read the change yet.'
