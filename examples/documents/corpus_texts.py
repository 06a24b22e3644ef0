"""The invented reports that make_corpus.py turns into PDFs.

Blocks are parted by blank lines. The first is the title; a table is a caption and rows with bars.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Document:
    name: str
    text: str
    set_in_columns: bool = False  # its tables have no bars: only their place makes them tables
    password: str | None = None


DOCUMENTS = [
    Document("alder-weir.pdf", """
Alder Weir Inspection

## 1. What was seen

Alder Weir was inspected in March by Edith Marlow for the Varn Water Board. The sill of Alder Weir
is sound, but the apron below it has lost stones on the side of Calder Mill. Calder Mill draws its
water here, so the Varn Water Board asked Thomas Reed to stay in touch with the miller. The gate
wheels were greased and turn by hand.

Table 1: State of the parts
Part | State | Last repair
Sill | sound | 2011
Apron | stones missing | 2004
Gates | turn by hand | 2019

## 2. What should be done

Thomas Reed proposes to lay new stones in August, when Lake Varn is low. Lake Varn feeds the weir
through a short reach, described in "Lake Levels in Winter". The work must not touch the Fish Ladder
beside Alder Weir; its last count is told in "Fish Ladder Count".
"""),
    Document("board-minutes.pdf", """
Minutes of the Spring Meeting

## 1. Present

The VWB met on the second of May at the Harbour Office with Edith Marlow in the chair. The
Heritage Fund had sent Ada Finch, and Thomas Reed spoke for the works of the VWB. The minutes of
the winter meeting were read and signed without a change.

## 2. Decisions

Ada Finch told the meeting that the Heritage Fund pays for the wheel of Calder Mill once the first
step is done, as laid out in "Calder Mill Repairs". Thomas Reed asked for stones for Alder Weir,
and Edith Marlow promised an answer from the VWB before August. The report of "Alder Weir
Inspection" was accepted.

Table 1: Votes
Question | For | Against
Stones for the weir | 6 | 1
Wheel of the mill | 7 | 0
New bench at the quay | 2 | 5
"""),
    Document("calder-mill.pdf", """
Calder Mill Repairs

## 1. The plan

Calder Mill ground corn until the war and stands on the stream below Alder Weir. The Heritage Fund
pays for the repair of Calder Mill in three steps. Ada Finch keeps the accounts of the Heritage Fund
and Thomas Reed leads the work. The wheel comes first, because the stream undermines its footing
every winter.

Table 1: Steps and cost
Step | Work | Cost
Wheel | new oak paddles | 8,200
Roof | slates and gutters | 5,900
Machines | gears and stones | 7,400

## 2. The water

The oak was cut on the land of the Calder Family and has dried for two years. When the wheel turns
again, the Calder Family wants to grind once a month for visitors of Calder Mill. How much water
there is tells "Alder Weir Inspection". Ada Finch and Thomas Reed report to the fund each spring.
"""),
    Document("ferry-timetable.pdf", """
Ferry Timetable Review

## 1. The line

The Varn Ferry crosses Lake Varn from North Quay to Reed Bay in twenty minutes. The Harbour Office
counted the passengers of the Varn Ferry in every week of the summer. North Quay was crowded on
Saturdays, Reed Bay hardly ever. Captain Orla Dunne asked the Harbour Office for a later boat in the
evening.

Table 1: Crossings
Day | First boat | Last boat | Passengers
Weekdays | 6:40 | 19:20 | 310
Saturday | 7:30 | 22:00 | 840
Sunday | 8:30 | 18:10 | 420

## 2. What changes

From May the last boat leaves North Quay at eight in the evening. Captain Orla Dunne will run it
with the small boat of the Varn Ferry. What a landing costs stands in "Harbour Dues".
"""),
    Document("fish-ladder.pdf", """
Fish Ladder Count

## 1. How it was counted

The Fish Ladder beside Alder Weir was watched for six weeks by the Angling Society. Jonas Peel of
the Angling Society read the counter every morning, and Edith Marlow checked his notes. The counter
of the Fish Ladder cannot tell a trout from a grayling, so a camera was hung up at Alder Weir too.

Table 1: Fish in each week
Week | Trout | Grayling
Second of April | 41 | 7
Third of April | 66 | 12
Fourth of April | 58 | 19

## 2. What it means

Table 2: Years compared
Year | Trout | Grayling
2017 | 290 | 60
2018 | 402 | 71

The Angling Society asks the Varn Water Board to keep the gates of Alder Weir half open in April.
Jonas Peel and Edith Marlow will speak about it at the meeting of the Varn Water Board. The stones
named in "Alder Weir Inspection" lie right below the Fish Ladder.
""", set_in_columns=True),
    Document("harbour-dues.pdf", """
Harbour Dues of the Year

## 1. What was taken

The Harbour Office takes dues at North Quay and at Reed Bay. Boats of the Angling Society land free
at Reed Bay by an old custom, which the Harbour Office has never put on paper. Captain Orla Dunne
pays for the Varn Ferry by the month. The books were kept by Miriam Holt, and the Harbour Office
thanks Miriam Holt for thirty years of work.

Table 1: Dues
Place | Landings | Taken
North Quay | 1,204 | 6,020
Reed Bay | 388 | 1,164

## 2. Next year

Dues rise by a tenth at North Quay, where Captain Orla Dunne has asked for a second ladder. The
boats are those of "Ferry Timetable Review". Nothing changes for the Angling Society at Reed Bay.
"""),
    Document("lake-levels.pdf", """
Lake Levels in Winter

## 1. The gauges

Lake Varn is measured at North Quay and at Reed Bay by the Varn Water Board. Thomas Reed reads the
gauge at North Quay; the one at Reed Bay sends its values by radio. In January the ice moved the
gauge at Reed Bay, and Jonas Peel set it right for the Varn Water Board.

Table 1: Levels in metres
Month | North Quay | Reed Bay
December | 2.41 | 2.40
January | 2.18 | 2.31
February | 2.66 | 2.64

## 2. What follows

The high water of February ran over Alder Weir for nine days. Alder Weir can take it, as Thomas Reed
wrote in "Alder Weir Inspection", but the path to Calder Mill was under water. Jonas Peel saw trout
on the path near Calder Mill.
"""),
    Document("lantern-festival.pdf", """
Lantern Festival Draft

## 1. A first idea

This is a draft and nobody has agreed to it. The Lantern Festival might be held at North Quay on the
first evening of October, and Captain Orla Dunne might lend the Varn Ferry as a stage. Miriam Holt
was told, the Harbour Office was not asked yet. Miriam Holt would sew the lanterns of the Lantern
Festival, if the Heritage Fund paid for the silk. Ada Finch of the Heritage Fund has heard of it.

Table 1: Guesses
Thing | Number | Price
Lanterns | 200 | unknown
Boats | 12 | unknown

## 2. Open questions

Who keeps the children away from the water at North Quay? Does the Varn Ferry run that evening, or
does Captain Orla Dunne stay at the quay? See "Ferry Timetable Review" for the last boat. Nobody has
asked the Harbour Office what happens when it rains, and nobody knows who would clean up.
"""),
    Document("old-locks.pdf", """
Survey of the Old Locks

## 1. The locks

The Upper Lock and the Lower Lock were built when slate went down the river to Reed Bay. Edith
Marlow measured the Upper Lock with Jonas Peel in one day; the Lower Lock took three, because the
Angling Society had to clear the reeds first. The Angling Society found a boat hook of the last
keeper, now at the Harbour Office.

Table 1: Measures
Lock | Length | Width
Upper Lock | 21.4 m | 4.1 m
Lower Lock | 21.6 m | 4.2 m

## 2. The old books

The table below was copied by hand from the books of the Harbour Office by Edith Marlow.

Table 2: Boats in 1887

[scan]

Whether slate will ever go to Reed Bay again depends on the water; see "Lake Levels in Winter".
Jonas Peel doubts that the Lower Lock can be used before the wall is mended.
"""),
    Document("reed-beds.pdf", """
Reed Bed Survey

## 1. Where the reeds stand

The reeds of Reed Bay were mapped from the water by Jonas Peel and Miriam Holt. Reed Bay has lost a
fifth of its reeds since the survey of the Angling Society. North Quay lost all of them when the new
wall was built, and the Varn Water Board planted some again at North Quay.

Table 1: Reeds in square metres
Place | Before | Now
Reed Bay | 5,200 | 4,150
North Quay | 610 | 120

## 2. Birds

The Heron Stone lies far out. Eleven pairs nest near it. Jonas Peel counted them from a boat of the
Angling Society. Miriam Holt asks the Varn Water Board to keep the boats away until July, as is the
custom told in "Harbour Dues of the Year". How the water rises tells "Lake Levels in Winter".
"""),
    Document("sealed-tender.pdf", """
Sealed Tender

## 1. Offer

This offer for the stones of Alder Weir is to be opened by the Varn Water Board on the first of June
and not before. It was sealed in the presence of Edith Marlow.
""", password="first of June"),
]
