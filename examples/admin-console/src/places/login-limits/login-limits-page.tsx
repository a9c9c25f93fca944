export default function LoginLimitsPage() {
  return null;
}
