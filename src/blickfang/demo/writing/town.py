"""What the demo web's off-topic town sites say: a council and a branch railway."""

COUNCIL = """
= topic noise:council
= motif townhall
= language en
= rows name ward
Refuse collection changes | Northgate
Resurfacing of Mill Lane | Millside
Planning committee minutes | Westbrook
Library opening hours | Market ward
Parking permits | Northgate
Allotment waiting list | Southfield
Budget consultation | all wards
Street lighting repairs | Westbrook
Election of two councillors | Market ward
Playground inspection | Southfield
Grants for village halls | Millside
Noise complaints procedure | all wards
Cemetery maintenance | Southfield
Licensing of market stalls | Market ward
= trait clerk Mrs Pruett | Mr Dalloway | the deputy clerk | Ms Harcastle
= trait sum 900..74000
= trait day Monday | Tuesday | Wednesday | Thursday
= trait room 2..19
= view sight from the square | before the repairs | in spring | on market day
= word body finance committee | planning committee | parish council | highways department
  | licensing panel
= word paper form | minutes | agenda | by-law | tender | consultation leaflet
= section notice [Notice|Public notice|Decision of the council]
The {body} met on {day} to discuss {name} and resolved to adopt the officer's report.
Residents of {ward} may inspect the {paper} in room {room} of the town hall during office hours.
A sum of {sum} pounds has been set aside in the annual budget for this purpose.
Objections must reach {clerk} in writing within twenty-one days of this notice.
Councillors declared their interests, and two members abstained from the vote.
The contractor will put up diversion signs, and buses will stop outside the post office.
The {paper} was approved subject to conditions set by the {body}.
No council tax increase results from the decision, according to the treasurer.
= section service [What residents should know|Frequently asked|Services]
Put out the brown bin on {day} and the grey bin in the following week.
Applications for permits take ten working days; bring proof of address and the completed {paper}.
The {body} reminds dog owners that fines apply in the recreation ground.
Telephone lines are open from nine until five, except on bank holidays.
Complaints are passed to {clerk}, who replies by letter.
Copies of the {paper} can be had in large print at the counter.
Business rates relief is available to small shops in {ward}.
The next meeting of the {body} is open to the public and begins at seven.
= captions
The town hall {sight}
Council offices in {ward} {sight}
Site of the works in {ward}
= blurbs
{ward}: contact {clerk} by {day}.
Budget {sum} pounds; papers in room {room}.
= articles
Accessibility statement of the council | service notice
"""

RAILWAY = """
= topic noise:railway
= motif train
= language en
= rows name line
Saltmouth | Coast branch
Oxmoor Junction | Main line
Pellwick Road | Coast branch
Ashby Halt | Valley branch
Cullen | Valley branch
Tarnmouth | Coast branch
Windle | Valley branch
Market Harrow | Main line
Stoke Lacey | Main line
Fennimore | Valley branch
Bridge End | Main line
Upper Dean | Valley branch
Priory Gate | Main line
Quarry Sidings | Valley branch
Eastcote Green | Main line
Larkfield | Main line
= trait first 5..7
= trait last 20..23
= trait minute 10..55
= trait platform 1..6
= trait fare 2..19
= view sight at platform one | in the rain | leaving the station | on a viaduct | in winter
= trait unit two-car diesel unit | stopping train | school train | replacement bus | freight
= section table [Timetable|Trains from {name}]
Trains from {name} on the {line} run hourly from {first} until {last} o'clock, at {minute} past
  the hour.
The last departure on Saturdays is at {last} {minute} from platform {platform}.
On Sundays the service begins two hours later and a replacement bus runs on part of the {line}.
A day return from {name} costs {fare} pounds; railcards are valid after nine.
Change at Oxmoor Junction for all other lines and allow six minutes for the footbridge.
= section station [The station|Facilities|Travel advice]
The ticket office at {name} is open on weekdays until noon, and there is a machine on platform
  {platform}.
Bicycles are carried free of charge on every {unit}, space permitting.
Engineering work may alter departures; check the posters before you travel.
Step-free access is from the car park side, through the gate beside the signal box.
A {unit} of the {line} calls at {name} on request: give a clear hand signal to the driver.
Connections are not guaranteed if the {unit} runs late.
Penalty fares apply to passengers who board without a ticket where the machine is working.
Waiting rooms are heated from October to March.
= captions
A train of the {line} {sight}
{name} station: {line} train {sight}
= blurbs
{line}, platform {platform}, hourly until {last}.
Day return {fare} pounds.
= articles
Railcards and refunds | station table
"""
