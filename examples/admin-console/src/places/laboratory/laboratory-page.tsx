export default function LaboratoryPage() {
  return null;
}
