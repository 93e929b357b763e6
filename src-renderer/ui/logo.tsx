/** The logo: an arrow in and one out. */
export function Logo({ size = 22 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 22 22" aria-hidden="true" style={{ flex: 'none' }}>
      <rect width="22" height="22" rx="6" fill="var(--cc-accent)" />
      <g
        transform="translate(3 3) scale(.667)"
        fill="none"
        stroke="#fff"
        strokeWidth="2.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        <path d="M4 8.5h13M13 4l4.5 4.5L13 13" />
        <path d="M20 15.500H7M11 11l-4.500 4.500L11 20" />
      </g>
    </svg>
  )
}
